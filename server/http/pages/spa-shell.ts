import { createHash } from 'node:crypto'

/** Inline scripts; one with a type that is no script is data, which browsers do not run. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)(?![^>]*\stype="application\/json")[^>]*>([\s\S]*?)<\/script>/g

/**
 * What a browser may do with a page of ours: run the scripts of this build, and nothing that comes from elsewhere.
 *
 * The page is the same shell for every address, so its inline scripts are known by their hashes and it needs no nonce.
 * Styles may be inline: the emails that the sandbox shows in a frame bring their own, and a frame is bound by its page.
 *
 * @param html the page with the inline scripts to allow
 * @param https whether people open it by https, which browsers then insist on
 */
export function pageHeaders(html: string, https: boolean): Record<string, string> {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  )
  const policy = {
    'default-src': '\'none\'',
    'script-src': ['\'self\'', ...new Set(hashes)].join(' '),
    'style-src': '\'self\' \'unsafe-inline\'',
    'img-src': '\'self\' data:',
    'font-src': '\'self\'',
    'connect-src': '\'self\'',
    'base-uri': '\'none\'',
    'form-action': '\'self\'',
    'frame-ancestors': '\'none\'',
  }
  return {
    'Content-Security-Policy': Object.entries(policy).map(([name, sources]) => `${name} ${sources}`).join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {},
  }
}

/** A page as the build made it. */
export interface BuiltPage {
  name: string
  /** As the router of Vue writes it, such as `/submissions/:id()`. */
  path: string
  /** What it asks the server for when it opens, such as `/api/submissions/:id`. */
  asks?: string
  /** Names of the files that it needs beyond those that every page has. */
  scripts: readonly string[]
}

/** How the server answers a request for a page, whose shell is nearly the same at every address. */
export interface PageAnswer {
  status: number
  allow?: string
  page?: BuiltPage
}

export function createPageRoutes(pages: readonly BuiltPage[]): (method: string, path: string) => PageAnswer {
  const patterns = pages.map(page => ({
    page, pattern: new RegExp(`^${page.path.replaceAll(/:\w+(\(\))?/g, '[^/]+')}/?$`, 'i'),
  }))
  return (method, path) => {
    const { page } = patterns.find(({ pattern }) => pattern.test(path.replace(/[?#].*/s, ''))) ?? {}
    if (!page) return { status: 404 }
    return method === 'GET' || method === 'HEAD' ? { status: 200, page } : { status: 405, allow: 'GET, HEAD' }
  }
}

/** The parts of a page's HTML that are told apart here. */
interface Shell { head: string[], bodyAttrs: string[], bodyAppend: string[] }

/**
 * Fits the shell to the page that comes. Its frame is there at once (app/spa-loading-template.html), with styles of its
 * own: those of the build stand behind it, so that it does not wait for them. What the page will ask for is asked for
 * beside its scripts and not after them; without `mayLook` nothing but how to sign in.
 */
export function fitShell(shell: Shell, page: BuiltPage, path: string, mayLook: boolean): void {
  shell.head = shell.head.map(part => part.replaceAll(/<link rel="stylesheet"[^>]*>/g, (link) => {
    shell.bodyAppend.unshift(link)
    return ''
  }))
  shell.bodyAttrs.push(`data-page="${mayLook ? page.name : 'sign-in'}"`)
  const links = mayLook ? [...askedBy(page, path).map(dataLink), ...page.scripts.map(scriptLink)] : []
  shell.head.push(dataLink('/api/auth/session'), ...links)
}

/** Nothing where the address says more than which page it is: the page may then ask for something else. */
function askedBy({ asks }: BuiltPage, path: string): string[] {
  return asks && /^[\w/-]+$/.test(path) ? [asks.replace(':id', path.replace(/\/$/, '').split('/').at(-1)!)] : []
}

const dataLink = (url: string) => `<link rel="preload" as="fetch" crossorigin href="${url}">`
const scriptLink = (file: string) => `<link rel="modulepreload" as="script" crossorigin href="/${file}">`
