import { createHash } from 'node:crypto'

/** Inline scripts, but not JSON, which is data that browsers do not run */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)(?![^>]*\stype="application\/json")[^>]*>([\s\S]*?)<\/script>/g

/**
 * Headers of a page of ours: browsers may run the scripts of this build, and load nothing from elsewhere.
 *
 * The page is the same shell at every address, so its inline scripts are allowed by hash and it needs no nonce. Styles
 * may be inline: the sandbox shows emails with their own styles in a frame, and the page's policy applies there, too.
 *
 * @param html page with the inline scripts to allow
 * @param https true if people open it by https, which browsers then enforce
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

/** A page of the build */
export interface BuiltPage {
  name: string
  /** Path in the syntax of Vue's router, such as `/submissions/:id()` */
  path: string
  /** Address of the data that the page loads when it opens, such as `/api/submissions/:id` */
  asks?: string
  /** Names of the files that it needs in addition to those of every page */
  scripts: readonly string[]
}

/** Answer to a request for a page; the shell is nearly the same at every address */
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

/** Parts of a page's HTML that are changed here */
interface Shell { head: string[], bodyAttrs: string[], bodyAppend: string[] }

/**
 * Adapts the shell to the page. Its frame (app/spa-loading-template.html) has its own styles and appears at once: the
 * build's stylesheets are moved behind the frame, so that it does not wait for them. The page's data is loaded in
 * parallel with its scripts; without `mayLook`, only the sign-in data is loaded.
 */
export function fitShell(shell: Shell, page: BuiltPage, path: string, mayLook: boolean): void {
  shell.head = shell.head.map(part => part.replaceAll(/<link rel="stylesheet"[^>]*>/g, (link) => {
    shell.bodyAppend.unshift(link)
    return ''
  }))
  shell.bodyAttrs.push(`data-page="${mayLook ? page.name : 'sign-in'}"`)
  const links = mayLook ? [...listDataPaths(page, path).map(dataLink), ...page.scripts.map(scriptLink)] : []
  shell.head.push(dataLink('/api/auth/session'), ...links)
}

/** Returns nothing if the address is not a plain path, because the page may then load other data. */
function listDataPaths({ asks }: BuiltPage, path: string): string[] {
  return asks && /^[\w/-]+$/.test(path) ? [asks.replace(':id', path.replace(/\/$/, '').split('/').at(-1)!)] : []
}

const dataLink = (url: string) => `<link rel="preload" as="fetch" crossorigin href="${url}">`
const scriptLink = (file: string) => `<link rel="modulepreload" as="script" crossorigin href="/${file}">`
