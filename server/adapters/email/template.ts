// An ambient declaration cannot be imported, and app.ts is type-checked from several projects.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./mjml.d.ts" />
import { Buffer } from 'node:buffer'
import { english, type Texts } from '../../../shared/texts'
import { cut, escapeHtml } from '../../../shared/utils/text'
import {
  MOST_BRANCHES, type Branch, type EmailContent, type EmailField, type EmailTemplate,
} from '../../ports/delivery'
import page from './template.mjml'

/** Max bytes of HTML. Gmail shows no more than 102 KB of a message; others cut later. */
const MAX_HTML = 100_000

/** Room reserved for the notice that fields were cut, bytes. */
const NOTICE_BYTES = 1000

const MAX_PREVIEW = 140

/** Max length of the name of a file's field, characters: the sender chooses the name. */
const MAX_LABEL = 200

/** Max depth of indentation. Deeper levels are indented no further. */
const MOST_DEPTH = 12

/** Max characters shown of an edited field's previous value. */
const MAX_WAS = 1000

/** Markup made by `html`. Only such values pass through `html` unescaped. */
class Html {
  constructor(readonly markup: string) {}
}

// Matches control characters and noncharacters that HTML forbids, even as numeric references.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFFE\uFFFF]/g

/** Matches everything that Unicode counts as the end of a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

/** Split the page once, here: text that is filled in later is never searched for placeholders. */
const fill = compile(page, ['language', 'subject', 'heading', 'preview', 'rows', 'footer'])

/** Renders the email of a forwarded submission: HTML for mail clients, and plain text with the same facts. */
export function renderEmail(content: EmailContent): ReturnType<EmailTemplate> {
  const { texts = english } = content
  const footer = [
    content.decided, content.received, texts('email.submission', { id: content.submissionId }),
  ].filter(Boolean)
  // Omit the heading if the subject begins with it.
  const heading = content.subject.startsWith(content.heading) ? '' : content.heading
  const files = content.files.map(file => ({ ...file, label: cut(file.label, MAX_LABEL) }))
  const allFields = [...content.fields, ...files]
  const renderPage = (rows: readonly Html[]) => fill({
    language: html`${texts.language}`,
    subject: html`${content.subject}`,
    heading: html`${heading}`,
    preview: html`${renderPreview(allFields)}`,
    rows: html`${content.correction ? noticeRow(content.correction) : []}${rows}${files.map(file => fieldRow(file, texts))}`,
    footer: html`${footer.map(line => html`<div>${line}</div>`)}`,
  })
  const availableBytes = MAX_HTML - NOTICE_BYTES - Buffer.byteLength(renderPage([]))
  const { shownFields, rows, missingCount } = fitFields(content.fields, availableBytes, texts)
  const notice = missingCount > 0
    ? describeCut(missingCount, content, texts)
    : allFields.length === 0 ? texts('email.empty') : ''
  return {
    isWhole: missingCount === 0,
    html: renderPage([...rows, ...notice ? [noticeRow(notice)] : []]),
    text: [
      [heading, content.subject].filter(Boolean).map(joinLines).join('\n'),
      ...content.correction ? [content.correction] : [],
      ...shownFields.map(field => textField(field, texts)),
      ...notice ? [notice] : [],
      ...files.map(file => textField(file, texts)),
      ['----', ...footer.map(joinLines)].join('\n'),
    ].join('\n\n').concat('\n'),
  }
}

/** Returns the fields that fit into `availableBytes`, the last one cut if needed, and how many are not complete. */
function fitFields(
  fields: readonly EmailField[], availableBytes: number, texts: Texts,
): { shownFields: EmailField[], rows: Html[], missingCount: number } {
  const shownFields: EmailField[] = []
  const rows: Html[] = []
  const addField = (field: EmailField): boolean => {
    if ((field.tree?.length ?? 0) > MOST_BRANCHES) return false
    const row = fieldRow(field, texts)
    const size = Buffer.byteLength(row.markup)
    if (size > availableBytes) return false
    availableBytes -= size
    shownFields.push(field)
    rows.push(row)
    return true
  }
  const firstCut = fields.findIndex(field => !addField(field))
  if (firstCut === -1) return { shownFields, rows, missingCount: 0 }
  const { label, value, tree, ...edit } = fields[firstCut]!
  const shorten = (length: number): EmailField => ({
    label: cut(label, MAX_LABEL), ...tree
      ? { value: '…', tree: [...tree.slice(0, length), { depth: 0, name: '…', value: '' }] }
      : { value: cut(value, length) },
    ...edit,
  })
  const maxLength = tree ? MOST_BRANCHES - 1 : value.length
  addField(shorten(
    findLongest(Math.min(maxLength, availableBytes), length => (
      Buffer.byteLength(fieldRow(shorten(length), texts).markup) <= availableBytes
    )),
  ))
  return { shownFields, rows, missingCount: fields.length - firstCut }
}

/** Returns the largest number up to `max` that fits. If a number fits, every smaller one must fit too. */
function findLongest(max: number, fits: (length: number) => boolean): number {
  let [low, high] = [0, max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function describeCut(count: number, { fields, attachment }: EmailContent, texts: Texts): string {
  return texts('email.cut', { count, missing: String(count), all: String(fields.length), attachment })
}

function fieldRow({ label, value, tree, edited, was }: EmailField, texts: Texts): Html {
  const badge = edited
    ? html` <span class="edited" dir="ltr" style="margin-left:4px;background-color:#fdf0cd;color:#7a4a05;border-radius:9px;padding:1px 8px 2px;font-size:11px;font-weight:600;white-space:nowrap">${texts('email.edited')}</span>`
    : []
  const shape = tree ? tree.map(branchRow) : breakLines(value)
  const body = value === ''
    ? html`<div class="label" style="padding-top:2px;font-size:16px;line-height:1.5;color:#5a6675">—</div>`
    : html`<div class="value" dir="auto" style="padding-top:2px;font-size:16px;line-height:1.5;color:#1b2430;text-align:start;white-space:pre-wrap;word-break:break-word;overflow-wrap:anywhere">${shape}</div>`
  return html`<tr><td class="line" style="border-top:1px solid #e3e8ee;padding:13px 0 15px;word-break:break-word;overflow-wrap:anywhere"><div class="label" dir="auto" style="font-size:13px;line-height:1.5;color:#5a6675;text-align:start"><span style="unicode-bidi:isolate">${label || texts('email.noName')}</span>${badge}</div>${body}${was === undefined ? [] : wasRow(was, texts)}</td></tr>
`
}

/** Uses margins: Outlook supports paddings only on table cells. */
function branchRow({ depth, name, value }: Branch): Html {
  const margin = String(Math.min(depth, MOST_DEPTH) * 18)
  return html`<div style="margin-left:${margin}px"><span class="label" style="color:#5a6675">${name}</span> ${breakLines(value)}</div>`
}

/** Writes line breaks as elements: Outlook ignores pre-wrap. In other clients pre-wrap keeps the indentation. */
function breakLines(text: string): Html[] {
  return splitLines(text).map((line, index) => index === 0 ? html`${line}` : html`<br>${line}`)
}

function wasRow(was: string, texts: Texts): Html {
  const [before = '', after = ''] = texts('email.was', { value: '\0' }).split('\0')
  return html`<div class="label" dir="auto" style="padding-top:4px;font-size:14px;line-height:1.5;color:#5a6675;text-align:start;white-space:pre-wrap;word-break:break-word;overflow-wrap:anywhere"><span dir="ltr">${before}</span><del>${cut(was, MAX_WAS) || '—'}</del>${after}</div>`
}

function noticeRow(notice: string): Html {
  return html`<tr><td class="line label" style="border-top:1px solid #e3e8ee;padding:15px 0;font-size:15px;line-height:1.5;color:#5a6675">${notice}</td></tr>`
}

/** Writes a one-line value beside its name. Others become an indented block, so none of their lines looks like ours. */
function textField({ label, value, tree, edited, was }: EmailField, texts: Texts): string {
  const name = `${joinLines(label) || texts('email.noName')}${edited ? ` (${texts('email.edited')})` : ''}:`
  const previousLines = was === undefined ? [] : [`  (${texts('email.was', { value: joinLines(cut(was, MAX_WAS)) || '—' })})`]
  const valueLines = tree
    ? [name, ...tree.map(({ depth, name, value }) => (
        nameValue(joinLines(name), value, 1 + Math.min(depth, MOST_DEPTH))
      ))]
    : [nameValue(name, value || '—', 0)]
  return [...valueLines, ...previousLines].join('\n')
}

function nameValue(name: string, value: string, depth: number): string {
  const [indent, innerIndent] = ['  '.repeat(depth), '  '.repeat(depth + 1)]
  const [first = '', ...moreLines] = splitLines(value).map(makePrintable)
  return moreLines.length === 0
    ? `${indent}${name}${first && ` ${first}`}`
    : [`${indent}${name}`, ...[first, ...moreLines].map(line => `${innerIndent}${line}`)].join('\n')
}

/** Returns the text that the inbox shows beside the subject. */
function renderPreview(fields: readonly EmailField[]): string {
  return cut(fields.filter(({ value }) => value).slice(0, 5).map(({ label, value }) => (
    joinLines(`${cut(label, 40)}: ${cut(value, MAX_PREVIEW)}`)
  )).join(' · '), MAX_PREVIEW)
}

function joinLines(text: string): string {
  return makePrintable(splitLines(text).join(' ')).replace(/\s+/g, ' ').trim()
}

/** Builds markup with every interpolated text escaped, for element content and attributes in double quotes. */
function html(strings: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((markup, literal, index) => markup + render(values[index - 1]!) + literal))
}

/** Fills `{{name}}` placeholders of a trusted page. */
function compile<Slot extends string>(page: string, slots: readonly Slot[]): (content: Record<Slot, Html>) => string {
  const parts = page.split(/\{\{(\w+)\}\}/)
  const unknownName = parts.find((part, index) => index % 2 === 1 && !slots.includes(part as Slot))
  if (unknownName) throw new Error(`The email template has an unknown placeholder {{${unknownName}}}.`)
  return content => parts.map((part, index) => index % 2 === 1 ? content[part as Slot].markup : part).join('')
}

/** Replaces characters that HTML forbids with U+FFFD, so that nothing vanishes unseen. */
function makePrintable(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, '\uFFFD')
}

/** Returns the lines of a text, whatever ends them. */
function splitLines(text: string): string[] {
  return text.split(LINE_BREAK)
}

function render(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.markup
  if (typeof value !== 'string') return value.map(({ markup }) => markup).join('')
  return escapeHtml(makePrintable(value))
}
