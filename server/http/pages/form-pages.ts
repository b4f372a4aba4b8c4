import { getQuery, getRequestHeader, getResponseHeader, setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { escapeHtml, visible } from '../../../shared/utils/text'
import type { FieldProblem } from '../../ports/field-rules'
import type { FormPages, PageText } from '../../ports/form'
import type { Log } from '../../ports/runtime'
import type { ErrorBody } from '../errors'
import { requestedLanguages, textsFor } from './page-texts'
import { sendPage, type FormPage } from './page'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Texts for error codes; other errors get a text by their Retry-After header */
export const ERROR_TEXTS: Readonly<Record<string, PageText>> = {
  HUMAN_CHECK_FAILED: 'human', BODY_TOO_LARGE: 'large', FILES_NOT_ACCEPTED: 'files', FILES_TOO_LARGE: 'filesLarge',
  FILE_TYPE_NOT_ACCEPTED: 'fileType', INVALID_SUBMISSION: 'unreadable', BODY_INCOMPLETE: 'unreadable',
  BODY_TOO_SLOW: 'unreadable', EMPTY_FORM: 'empty', UNEXPECTED: 'broken', IDEMPOTENCY_KEY_REUSED: 'broken',
}

/**
 * Redirects the browser that sent a form: to `next` if its origin may send this form, else to the form's own page or to
 * ours. A bad `next` never makes a form fail.
 */
export function sendOn(
  event: H3Event, { id, next }: { id: string, next?: string }, pages: FormPages, log: Log,
): string {
  const { key, allowedOrigins = [], redirect } = pages
  const checkedUrl = next === undefined ? null : checkedNext(next, allowedOrigins)
  if (next !== undefined && checkedUrl === null) log.warn('form.next-refused', {
    submission: id, form: key,
    reason: '_next must be an absolute URL on an origin that may send this form: FORM_ALLOWED_ORIGINS, or allowedOrigins of the form.',
  })
  const { lang } = getQuery(event)
  const query = { ...key !== undefined && { form: key }, ...typeof lang === 'string' && { lang }, id }
  const thanksUrl = `/api/thanks?${new URLSearchParams(query)}`
  setResponseStatus(event, 303)
  setResponseHeaders(event, { 'Location': checkedUrl ?? redirect ?? thanksUrl, 'Cache-Control': 'no-store' })
  return ''
}

/** Page after an accepted form. Its address contains only the id, which gives access to nothing. */
export function thanksPage(event: H3Event, pages: FormPages): string {
  const { id } = getQuery(event)
  const site = siteOf(event, pages)
  return sendFormPage(event, pages, 'good', 'thanks', say => [
    `<p>${say('received')}</p>`,
    typeof id === 'string' && UUID.test(id) ? `<p>${say('reference')}<br><code>${id}</code></p>` : '',
    site ? `<a class="back" href="${escapeHtml(site.href)}">${say('back', { site: site.host })}</a>` : '',
  ])
}

/** Page after a refused form, with the status that programs get, too */
export function problemPage(event: H3Event, { error, code, problems }: ErrorBody, pages: FormPages): string {
  const seconds = String(getResponseHeader(event, 'Retry-After') ?? '')
  const requestId = String(getResponseHeader(event, 'X-Request-Id') ?? '')
  const textKey = ERROR_TEXTS[code] ?? (seconds ? 'later' : 'refused')
  return sendFormPage(event, pages, 'bad', 'problem', say => [
    `<p>${say(problems ? 'fields' : textKey, { seconds })}</p>`,
    ...problems ? [fieldList(problems, say)] : [],
    `<p>${say('nothingLost')}</p>`,
    `<details><summary>${say('owner')}</summary><p lang="en">${escapeHtml(error)}</p>`,
    `<p><code>${escapeHtml(`${code} ${requestId}`)}</code></p></details>`,
  ])
}

/** Max listed fields: senders may invent fields that the form does not have */
const MOST_FIELDS = 30

function fieldList(problems: readonly FieldProblem[], say: Say): string {
  const items = problems.slice(0, MOST_FIELDS).map(({ label, problem, limit }) => (
    `<li><strong>${escapeHtml(visible(label.slice(0, 150)))}</strong> ${say(problem, { limit: String(limit) })}</li>`
  ))
  return `<ul>${items.join('')}${problems.length > MOST_FIELDS ? '<li>…</li>' : ''}</ul>`
}

type Say = (text: PageText, values?: Readonly<Record<string, string>>) => string

function sendFormPage(
  event: H3Event, { allowedOrigins, texts: customTexts }: FormPages, icon: NoticePage['icon'], title: PageText,
  content: (say: Say) => string[],
): string {
  const { language, texts } = textsFor(requestedLanguages(event), customTexts)
  const say: Say = (text, values = {}) => escapeHtml(
    texts[text].replaceAll(/\{(seconds|site|limit)\}/g, (whole, name: string) => values[name] ?? whole),
  )
  return sendNotice(event, {
    language, title: texts[title], icon, frames: allowedOrigins?.join(' '), content: content(say),
  })
}

/**
 * Returns the website that the browser comes from, if it may send this form; otherwise the first allowed website. If
 * any website may, only the browser's Referer counts: a link to our page cannot choose where our link leads.
 */
function siteOf(event: H3Event, { allowedOrigins }: FormPages): URL | null {
  const referer = getRequestHeader(event, 'referer') ?? ''
  const site = /^https?:\/\//i.test(referer) && URL.canParse(referer) ? new URL(referer) : null
  if (site && (allowedOrigins?.includes(site.origin) ?? true)) return site
  return allowedOrigins?.[0] ? new URL(allowedOrigins[0]) : null
}

/** Max length of an address: longer ones do not work in every browser */
const MAX_URL_LENGTH = 2048

/** Excludes characters that some parsers, but not all, take for the end of a host */
const PLAIN_URL = /^https?:\/\/[^/?#\\@\s\p{C}]+(?:[/?#][^\\\s\p{C}]*)?$/iu

/**
 * Returns the address to which a form may send a browser, or null: an absolute URL on one of these origins.
 * Relative and protocol-relative URLs, user names, backslashes, white space and control characters are refused.
 */
export function checkedNext(next: string, origins: readonly string[]): string | null {
  const trimmedUrl = next.trim()
  if (trimmedUrl.length > MAX_URL_LENGTH || !PLAIN_URL.test(trimmedUrl) || !URL.canParse(trimmedUrl)) return null
  const { origin, href } = new URL(trimmedUrl)
  return origins.includes(origin) ? href : null
}

const STYLE = `
main { text-align: center }
svg { width: 3.5rem; height: 3.5rem; padding: .8rem; border-radius: 50%; fill: none; stroke: currentColor;
  stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
.good { color: var(--good); background: var(--good-soft) }
.bad { color: var(--bad); background: var(--bad-soft) }
`

const ICONS = {
  good: '<path d="M5 12.5 10 17.5 19 7"/>',
  bad: '<path d="M12 6v7.5M12 17.5v.01"/>',
}

export interface NoticePage extends Pick<FormPage, 'language' | 'title' | 'frames'> {
  icon: keyof typeof ICONS
  /** HTML below the title */
  content: readonly string[]
}

/** Sends a page with one message. */
export function sendNotice(event: H3Event, { icon, content, title, ...page }: NoticePage): string {
  return sendPage(event, {
    ...page, title, style: STYLE,
    body: `<main>
<svg class="${icon}" viewBox="0 0 24 24" aria-hidden="true">${ICONS[icon]}</svg>
<h1>${escapeHtml(title)}</h1>
${content.filter(Boolean).join('\n')}
</main>`,
  })
}
