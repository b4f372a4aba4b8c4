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

/** How the server answers a request for a page, whose shell is the same at every address. */
export interface PageAnswer {
  status: number
  allow?: string
}

/** @param paths of all pages as the router of Vue writes them, such as `/submissions/:id()` */
export function createPageRoutes(paths: readonly string[]): (method: string, path: string) => PageAnswer {
  const page = new RegExp(`^(?:${paths.map(path => path.replaceAll(/:\w+(\(\))?/g, '[^/]+')).join('|')})/?$`, 'i')
  return (method, path) => {
    if (!page.test(path.replace(/[?#].*$/s, ''))) return { status: 404 }
    return method === 'GET' || method === 'HEAD' ? { status: 200 } : { status: 405, allow: 'GET, HEAD' }
  }
}
