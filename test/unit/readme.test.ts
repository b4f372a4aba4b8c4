import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { discordInviteLink } from '../../server/platforms/discord/definition'
import { OLDEST_REDIS } from '../../server/adapters/redis/connection/server-info'
import { PAGES, withBlocks, withoutBlocks } from '../bench/pages'
import { problemsOf } from '../fixtures/config/env'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

describe('README.md', () => {
  it('has Vercel\'s button ask for exactly what a start there cannot do without', () => {
    const link = new URL(/https:\/\/vercel\.com\/new\/clone[^)]+/.exec(readme)![0])
    expect(link.searchParams.get('env')!.split(',').sort()).toEqual(
      problemsOf({ VERCEL: '1' }).map(problem => problem.split(' ')[0]!).sort(),
    )
    expect(link.searchParams.get('envLink')).toBe(`${link.searchParams.get('repository-url')}/blob/main/.env.example`)
  })

  it('invites the Discord bot with the permissions that it needs', () => {
    const id = '123456789012345678'
    expect(readme).toContain(discordInviteLink(id).replace(id, '<application id>'))
  })
})

describe('the pages of the documentation', () => {
  const pages = [
    'README.md', 'CONTRIBUTING.md', 'SECURITY.md',
    ...readdirSync(new URL('docs/', root)).filter(name => name.endsWith('.md')).map(name => `docs/${name}`),
  ]

  it('link only to pages, headings and pictures that exist', () => {
    for (const page of pages) {
      const url = new URL(page, root)
      const text = readFileSync(url, 'utf8')
      const links = [
        ...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g), ...text.matchAll(/ src="(?!https?:)([^"]+)"()/g),
      ]
      for (const [link, path, anchor] of links) {
        const target = path ? readFileSync(new URL(path, url), 'utf8') : text
        if (anchor) expect(headings(target), `${page}: ${link}`).toContain(anchor)
      }
    }
  })

  it('have a place for everything that npm run bench measures', () => {
    for (const [path, names] of Object.entries(PAGES)) {
      const marked = names.map(name => [name, `figures of ${name}`])
      const written = withBlocks(readFileSync(new URL(path, root), 'utf8'), Object.fromEntries(marked))
      for (const [, figures] of marked) expect(written).toContain(`-->\n\n${figures}\n\n<!-- /measured -->`)
    }
    expect(() => withBlocks('nothing here', { figures: 'x' })).toThrow('<!-- measured: figures -->')
  })

  it('say what was measured only where the bench writes it', () => {
    for (const path of pages.filter(page => page !== 'docs/performance.md')) {
      const prose = withoutBlocks(readFileSync(new URL(path, root), 'utf8'))
      expect(
        prose.match(/\d[\d.,]* (?:µs|MiB idle|ms of CPU|(?:Redis )?round trips)|\d[\d,]{2,} forms? a second/g), path,
      ).toBeNull()
    }
  })

  it('name only tests that there are', () => {
    const tests = readdirSync(new URL('test/', root), { recursive: true }).map(String)
    for (const path of pages) {
      for (const [name] of readFileSync(new URL(path, root), 'utf8').matchAll(/[\w/-]+\.test\.ts/g)) expect(
        tests.some(file => `test/${file}`.endsWith(name)), `${path}: ${name}`,
      ).toBe(true)
    }
  })
})

/** Anchors of a page's headings, as GitHub generates them. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => (
    title!.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-')
  ))
}

it('README, package.json, docs and Dockerfile name one oldest Node, and one oldest Redis', () => {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const [, node, major] = /^>=((\d+)\.\d+)$/.exec(engines.node)!
  for (const page of ['README.md', 'docs/deploy.md']) {
    expect([...read(page).matchAll(/any Node from ([\d.]+) on/g)].map(([, version]) => version), page).toEqual([node])
    expect(read(page), page).toMatch(
      new RegExp(`Redis(?:\\*\\* from)? ${OLDEST_REDIS.replace('.', '\\.')} (?:or newer|on)`),
    )
  }
  const images = read('Dockerfile').matchAll(/^FROM node:(\d+)/gm)
  for (const [, version] of images) expect(Number(version)).toBeGreaterThanOrEqual(Number(major))
})
