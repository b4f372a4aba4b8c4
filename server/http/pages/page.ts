import { createHash } from 'node:crypto'
import { getResponseHeader, setResponseHeaders, type H3Event } from 'h3'
import { escapeHtml } from '../../../shared/utils/text'

/** Styles of all pages without scripts */
const STYLE = `
:root { color-scheme: light dark; --ink: #18181b; --dim: #52525b; --line: #e4e4e7; --page: #f4f4f5; --card: #fff;
  --good: #15803d; --good-soft: #dcfce7; --bad: #b91c1c; --bad-soft: #fee2e2; --link: #1d4ed8 }
@media (prefers-color-scheme: dark) { :root { --ink: #fafafa; --dim: #a1a1aa; --line: #3f3f46; --page: #09090b;
  --card: #18181b; --good: #4ade80; --good-soft: #052e16; --bad: #fca5a5; --bad-soft: #450a0a; --link: #93c5fd } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: var(--page); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
main { width: 100%; min-width: 0; max-width: 30rem; padding: 2.5rem 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; overflow-wrap: anywhere; box-shadow: 0 1px 3px rgb(0 0 0 / .06) }
h1 { margin: 1.25rem 0 .5rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance }
p { margin: .5rem 0 0; color: var(--dim); text-wrap: pretty }
ul { margin: 1rem 0; padding: 0; list-style: none; text-align: start }
li { padding: .5rem 0; border-top: 1px solid var(--line); color: var(--dim) }
strong { display: block; color: var(--ink) }
code { font: .875rem/1.6 ui-monospace, monospace }
a { color: var(--link) }
a.back { display: inline-block; margin-top: 1.75rem; padding: .65rem 1.25rem; border: 1px solid var(--line);
  border-radius: .6rem; text-decoration: none; font-weight: 500 }
a.back:hover { text-decoration: underline }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
details { margin-top: 1.75rem; padding-top: 1rem; border-top: 1px solid var(--line); text-align: start;
  font-size: .875rem; color: var(--dim) }
summary { cursor: pointer }
@media (max-width: 30rem) { main { padding: 2rem 1.25rem } }
@media print { main { border: 0; box-shadow: none } }
`

/** Right-to-left languages and scripts, in which operators may write texts */
const RIGHT_TO_LEFT = /^(?:ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b(?!-[a-z]{4}\b)|-(?:arab|hebr|thaa)\b/

export interface FormPage {
  language: string
  title: string
  /** HTML. */
  body: string
  /** Additional styles */
  style: string
  /** Origins that may show the page in a frame; none if absent */
  frames?: string
  /** Origins to which its forms may be sent; none if absent */
  sendsTo?: string
  /** Origin of the widget of our human check, which the page runs; it runs nothing if absent */
  runs?: string
}

/** Sends a page that is not cached. It runs and loads nothing, except for the widget of our human check. */
export function sendPage(event: H3Event, { language, title, body, style, frames, sendsTo, runs }: FormPage): string {
  const styles = STYLE + style
  const policy = {
    'default-src': '\'none\'', 'style-src': `'sha256-${createHash('sha256').update(styles).digest('base64')}'`,
    // The widget starts its workers from memory.
    ...runs && { 'script-src': runs, 'connect-src': runs, 'worker-src': 'blob:' },
    'base-uri': '\'none\'', 'form-action': sendsTo ?? '\'none\'', 'frame-ancestors': frames ?? '\'none\'',
  }
  setResponseHeaders(event, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': Object.entries(policy).map(([name, sources]) => `${name} ${sources}`).join('; '),
    'Cache-Control': 'no-store',
    // Without a referrer, browsers also hide the origin of a form, which would then be refused.
    'Referrer-Policy': sendsTo ? 'same-origin' : 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Vary': [getResponseHeader(event, 'Vary') ?? [], 'Accept, Accept-Language'].flat().join(', '),
  })
  return `<!doctype html>
<html lang="${language}" dir="${RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${styles}</style></head>
<body>${body}</body>
</html>
`
}
