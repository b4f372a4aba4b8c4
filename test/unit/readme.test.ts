import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { discordInviteLink } from '../../server/adapters/chat/discord/invite'
import { ConfigError, readConfig } from '../../server/config'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

describe('README.md', () => {
  it('has Vercel\'s button ask for exactly what a start there cannot do without', () => {
    const link = new URL(/https:\/\/vercel\.com\/new\/clone[^)]+/.exec(readme)![0])
    expect(link.searchParams.get('env')!.split(',').sort()).toEqual(missing({ VERCEL: '1' }).sort())
    expect(link.searchParams.get('envLink')).toBe(`${link.searchParams.get('repository-url')}/blob/main/.env.example`)
  })

  it('invites the Discord bot with the permissions that it needs', () => {
    const id = '123456789012345678'
    expect(readme).toContain(discordInviteLink(id).replace(id, '<application id>'))
  })

  it('links only to pages that exist, as the other pages do', () => {
    for (const page of ['README.md', 'docs/deploy.md', 'docs/scaling.md', 'docs/local-development.md']) {
      const url = new URL(page, root)
      const links = readFileSync(url, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)
      for (const [link, path, anchor] of links) {
        const text = readFileSync(path ? new URL(path!, url) : url, 'utf8')
        if (anchor) expect(headings(text), `${page}: ${link}`).toContain(anchor)
      }
    }
  })
})

/** The variables that a start with this environment asks for. */
function missing(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  }
  catch (error) {
    if (error instanceof ConfigError) return error.problems.map(problem => problem.split(' ')[0]!)
    throw error
  }
}

/** Anchors of a page's headings, as GitHub makes them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))
}
