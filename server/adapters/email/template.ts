// An ambient declaration cannot be imported, and app.ts is type-checked from several projects.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./mjml.d.ts" />
import { Buffer } from 'node:buffer'
import type { Field } from '../../ports/board'
import type { Email } from '../../ports/delivery'
import page from './template.mjml'

/** Bytes of HTML. Gmail shows no more than 102 KB of a message; others cut later. */
const MAX_HTML = 100_000

/** Kept free for what is said where the fields are cut, bytes. */
const NOTICE_BYTES = 1000

const MAX_PREVIEW = 140

/** Markup that `html` made: the only thing that `html` lets through as it is. */
class Html {
  constructor(readonly markup: string) {}
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' }

// Control characters and noncharacters that HTML forbids, even as numeric references.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFFE\uFFFF]/g

/** Everything that Unicode counts as the end of a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

interface Content {
  subject: string
  heading: string
  fields: readonly Field[]
  received: string
  decided: string
  submissionId: string
  correction: string
  attachment: string
}

/** Split here, once: what is filled in later is never searched for placeholders. */
const fill = compile(page, ['subject', 'heading', 'preview', 'rows', 'footer'])

/** The email of a forwarded submission: HTML for mail clients and a plain-text twin with the same facts. */
export function renderEmail(content: Content): Pick<Email, 'html' | 'text'> & { isWhole: boolean } {
  const footer = [content.decided, content.received, `Submission ${content.submissionId}`].filter(Boolean)
  // A subject made from the heading needs no heading above it.
  const heading = content.subject.startsWith(content.heading) ? '' : content.heading
  const page = (rows: readonly Html[]) => fill({
    subject: html`${content.subject}`,
    heading: html`${heading}`,
    preview: html`${preview(content.fields)}`,
    rows: html`${content.correction ? noticeRow(content.correction) : []}${rows}`,
    footer: html`${footer.map(line => html`<div>${line}</div>`)}`,
  })
  const { shown, rows, left } = fit(content.fields, MAX_HTML - NOTICE_BYTES - Buffer.byteLength(page([])))
  const notice = left > 0
    ? cutNotice(left, content)
    : content.fields.length === 0 ? 'The form was sent without any fields.' : ''
  return {
    isWhole: left === 0,
    html: page([...rows, ...notice ? [noticeRow(notice)] : []]),
    text: [
      [heading, content.subject].filter(Boolean).map(oneLine).join('\n'),
      ...content.correction ? [content.correction] : [],
      ...shown.map(textField),
      ...notice ? [notice] : [],
      ['----', ...footer.map(oneLine)].join('\n'),
    ].join('\n\n').concat('\n'),
  }
}

/** The fields that fit into so many bytes, the last of them cut when needed, and how many of them are not complete. */
function fit(fields: readonly Field[], room: number): { shown: Field[], rows: Html[], left: number } {
  const shown: Field[] = []
  const rows: Html[] = []
  const add = (field: Field): boolean => {
    const row = fieldRow(field)
    const size = Buffer.byteLength(row.markup)
    if (size > room) return false
    room -= size
    shown.push(field)
    rows.push(row)
    return true
  }
  const first = fields.findIndex(field => !add(field))
  if (first === -1) return { shown, rows, left: 0 }
  const { label, value, edited } = fields[first]!
  const shortened = (length: number): Field => ({ label: cut(label, 200), value: cut(value, length), edited })
  add(shortened(
    longest(Math.min(value.length, room), length => Buffer.byteLength(fieldRow(shortened(length)).markup) <= room),
  ))
  return { shown, rows, left: fields.length - first }
}

/** The largest number up to `most` that fits, when every smaller one does. */
function longest(most: number, fits: (length: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function cutNotice(left: number, { fields, attachment }: Content): string {
  return `Cut here: this submission is too long for one email. ${left === 1 ? 'The last field is' : `The last ${left} of ${fields.length} fields are`} missing or incomplete. All of it is in the attached ${attachment}.`
}

function fieldRow({ label, value, edited }: Field): Html {
  const badge = edited
    ? html` <span class="edited" dir="ltr" style="margin-left:4px;background-color:#fdf0cd;color:#7a4a05;border-radius:9px;padding:1px 8px 2px;font-size:11px;font-weight:600;white-space:nowrap">edited</span>`
    : []
  // Outlook ignores pre-wrap, so line breaks are elements; everybody else keeps indentation through it.
  const shape = lines(value).map((line, index) => index === 0 ? html`${line}` : html`<br>${line}`)
  const body = value === ''
    ? html`<div class="label" style="padding-top:2px;font-size:16px;line-height:1.5;color:#5a6675">—</div>`
    : html`<div class="value" dir="auto" style="padding-top:2px;font-size:16px;line-height:1.5;color:#1b2430;text-align:start;white-space:pre-wrap;word-break:break-word;overflow-wrap:anywhere">${shape}</div>`
  return html`<tr><td class="line" style="border-top:1px solid #e3e8ee;padding:13px 0 15px;word-break:break-word;overflow-wrap:anywhere"><div class="label" dir="auto" style="font-size:13px;line-height:1.5;color:#5a6675;text-align:start"><span style="unicode-bidi:isolate">${label || '(no label)'}</span>${badge}</div>${body}</td></tr>
`
}

function noticeRow(notice: string): Html {
  return html`<tr><td class="line label" style="border-top:1px solid #e3e8ee;padding:15px 0;font-size:15px;line-height:1.5;color:#5a6675">${notice}</td></tr>`
}

/** One line if the value is one, else an indented block, in which no line can pose as ours. */
function textField({ label, value, edited }: Field): string {
  const name = `${oneLine(label) || '(no label)'}${edited ? ' (edited)' : ''}:`
  const [first = '', ...more] = lines(value).map(printable)
  return more.length === 0 ? `${name} ${first || '—'}` : [name, ...[first, ...more].map(line => `  ${line}`)].join('\n')
}

/** What the inbox shows beside the subject. */
function preview(fields: readonly Field[]): string {
  return cut(fields.filter(({ value }) => value).slice(0, 5).map(({ label, value }) => (
    oneLine(`${cut(label, 40)}: ${cut(value, MAX_PREVIEW)}`)
  )).join(' · '), MAX_PREVIEW)
}

function oneLine(text: string): string {
  return printable(lines(text).join(' ')).replace(/\s+/g, ' ').trim()
}

function cut(text: string, length: number): string {
  // Never half a surrogate pair.
  return text.length > length ? `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…` : text
}

/** Markup in which every interpolated text is escaped, for element content and quoted attributes alike. */
function html(strings: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((markup, literal, index) => markup + render(values[index - 1]!) + literal))
}

/** Fills `{{name}}` placeholders of a trusted page. */
function compile<Slot extends string>(page: string, slots: readonly Slot[]): (content: Record<Slot, Html>) => string {
  const parts = page.split(/\{\{(\w+)\}\}/)
  const unknown = parts.find((part, index) => index % 2 === 1 && !slots.includes(part as Slot))
  if (unknown) throw new Error(`The email template has an unknown placeholder {{${unknown}}}.`)
  return content => parts.map((part, index) => index % 2 === 1 ? content[part as Slot].markup : part).join('')
}

/** Replaces what may not appear in HTML by U+FFFD, visibly, so that nothing vanishes unseen. */
function printable(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, '\uFFFD')
}

/** The lines of a text, whatever ends them. */
function lines(text: string): string[] {
  return text.split(LINE_BREAK)
}

function render(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.markup
  if (typeof value !== 'string') return value.map(({ markup }) => markup).join('')
  return printable(value).replace(/[&<>"']/g, character => ENTITIES[character]!)
}
