import { getRequestHeader, type H3Event } from 'h3'

/** What a browser sends a form as by itself (https://html.spec.whatwg.org/#attr-fs-enctype). */
const BY_BROWSERS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

/** Whether a browser sent a form without a script: somebody is going to read the answer as it is. */
export function wantsPage(event: H3Event): boolean {
  const [type = ''] = (getRequestHeader(event, 'content-type') ?? '').split(';')
  return event.method === 'POST' && BY_BROWSERS.includes(type.trim().toLowerCase())
    && prefersHtml(getRequestHeader(event, 'accept') ?? '')
}

/** Whether HTML is named, and nothing is liked better that JSON is. */
export function prefersHtml(accept: string): boolean {
  const weights = new Map(ranked(accept))
  const html = weights.get('text/html') ?? 0
  const json = weights.get('application/json')
  if (json !== undefined) return html > json
  return html > 0 && html >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}

/** The items of a header such as `Accept` with their weights, as they came (RFC 9110, 12.4.2). */
export function ranked(header: string): [item: string, weight: number][] {
  return header.slice(0, 1000).toLowerCase().split(',').map((part) => {
    const [item = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1)
    return [item, weight >= 0 && weight <= 1 ? weight : 0]
  })
}
