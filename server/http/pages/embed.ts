import { getQuery, getRequestHeader, setResponseHeaders, type H3Event } from 'h3'
import { fieldTypeOf, isFileField } from '../../../shared/field-types/field-types'
import { escapeHtml } from '../../../shared/utils/text'
import type { FieldRule } from '../../ports/field-rules'
import type { FileInput } from '../../ports/files'
import type { FormPages } from '../../ports/form'
import { sendPage } from './page'
import { requestedLanguages, textsFor } from './page-texts'
import { prefersHtml } from '../request'

/** Fields of a form that defines none */
const DEFAULT_FIELDS: Readonly<Record<string, FieldRule>> = {
  email: { label: 'Email', type: 'email' }, message: { label: 'Message', type: 'textarea', required: true },
}

const STYLE = `
main { max-width: 40rem; margin: auto }
h1 { margin: 0 0 1rem }
.note { margin: 0 0 1rem; padding: .6rem .75rem; color: inherit; text-align: start; border: 1px solid var(--line);
  border-inline-start: 4px solid var(--bad); border-radius: .5rem }
form p { color: inherit; margin: 0 0 1rem; text-align: start }
form label { font-weight: 500 }
altcha-widget { display: block; margin: 0 0 1rem; text-align: start }
fieldset { min-width: 0; margin: 0 0 1rem; padding: 0; text-align: start; border: 0 }
legend { padding: 0; font-weight: 500 }
fieldset label { font-weight: inherit }
input:not([type=checkbox], [type=radio]), textarea, select, pre { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem;
  font: inherit; color: inherit; background: var(--page); border: 1px solid var(--dim); border-radius: .5rem }
button { padding: .65rem 1.5rem; font: inherit; font-weight: 600; color: var(--card); background: var(--ink);
  border: 1px solid transparent; border-radius: .6rem; cursor: pointer }
pre { margin: 1rem 0 0; font: .8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; border-color: var(--line) }
[hidden] { display: none }
`

interface EmbeddedForm extends FormPages {
  honeypot: string
  turnstile?: { siteKey?: string }
  altcha?: object
  apiKey?: string
}

/**
 * Returns a form to copy into a website. It works without a script, except for the widget of a human check. Browsers
 * get a preview, with the HTML below it; our own widget works in it, others' scripts are left out.
 *
 * @param action address to which it is sent
 */
export function embedded(event: H3Event, form: EmbeddedForm, action: string): string {
  const { language, texts } = textsFor(requestedLanguages(event), form.texts)
  const html = htmlOf(form, getQuery(event).lang ? `${action}?lang=${language}` : action, { language, texts })
  const preview = form.altcha ? html : html.replace(/<script[^]*?<\/script>\n/, '')
  if (prefersHtml(getRequestHeader(event, 'accept') ?? '')) return sendPage(event, {
    language, title: form.name ?? '', style: STYLE, sendsTo: originsOf(action, form.redirect),
    runs: form.altcha && originsOf(action),
    body: `<main><h1>${escapeHtml(form.name ?? '')}</h1>\n${noteOf(form, action)}${preview}
<pre tabindex="0" role="region" aria-label="HTML">${escapeHtml(html)}</pre></main>`,
  })
  setResponseHeaders(event, {
    'Content-Type': 'text/plain; charset=utf-8', 'Content-Language': language, 'Cache-Control': 'no-store',
  })
  return html
}

/** Returns the origins of the form's target and of the redirect after it: browsers may apply the policy to both. */
function originsOf(action: string, redirect?: string): string {
  const origins = [action, redirect ?? action].map(url => URL.canParse(url) ? new URL(url).origin : '\'self\'')
  return [...new Set(origins)].join(' ')
}

/** Returns the reason why this preview cannot be sent, for people who are about to copy the form. */
function noteOf({ allowedOrigins, apiKey, turnstile }: EmbeddedForm, action: string): string {
  const isOurs = URL.canParse(action) && allowedOrigins?.includes(new URL(action).origin)
  const senders = allowedOrigins?.join(', ') ?? (apiKey && 'servers that have FORM_API_KEY')
  const reason = senders && !isOurs
    ? `only ${senders} may send it.`
    : turnstile && 'the human check needs a script, which is left out here.'
  return reason ? `<p class="note" lang="en">This preview cannot be sent: ${escapeHtml(reason)}</p>\n` : ''
}

function htmlOf(
  { key, fields = DEFAULT_FIELDS, files, honeypot, turnstile, altcha }: EmbeddedForm, action: string,
  { language, texts }: ReturnType<typeof textsFor>,
): string {
  const [site] = action.split('/api/form/')
  const id = (name: string | number) => `${key}-${name}`
  const paragraph = (name: string, rule: FieldRule, fieldId: string) => {
    const tag = isGroup(rule) ? 'fieldset' : 'p'
    const lines = fieldOf(name, { label: name, ...rule }, fieldId, texts, files)
    return [`<${tag}>`, ...lines.map(line => `  ${line}`), `</${tag}>`]
  }
  const hasFileField = Object.values(fields).some(isFileField)
  const innerLines = [
    ...Object.entries(fields).flatMap(([name, rule], index) => paragraph(name, rule, id(index))),
    ...files && !hasFileField ? paragraph('files', { label: texts.attach, type: 'file' }, id('files')) : [],
    '<!-- Hidden from people. A form that fills it in is held. -->',
    '<p hidden>',
    `  <label for="${id('trap')}">${escapeHtml(texts.trap)}</label>`,
    `  <input${formatAttributes({ id: id('trap'), name: honeypot, tabindex: -1, autocomplete: 'off' })}>`,
    '</p>',
    ...turnstile
      ? [
          `<!-- The human check needs a script${turnstile.siteKey ? '' : ', and the site key of your widget'}. -->`,
          `<div${formatAttributes({
            'class': 'cf-turnstile', 'data-sitekey': turnstile.siteKey ?? 'YOUR_SITE_KEY',
          })}></div>`,
          '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>',
        ]
      : [],
    ...altcha
      ? [
          '<!-- The human check needs a script. It starts when the form is sent. -->',
          `<altcha-widget${formatAttributes({ challenge: `${site}/api/challenge`, auto: 'onsubmit', language })}></altcha-widget>`,
          `<script${formatAttributes({ src: `${site}/altcha/widget.js`, defer: true })}></script>`,
        ]
      : [],
    `<p><button type="submit">${escapeHtml(texts.send)}</button></p>`,
  ]
  return [
    `<form${formatAttributes({
      'action': action, 'method': 'post', 'enctype': files && 'multipart/form-data', 'accept-charset': 'utf-8',
    })}>`,
    ...innerLines.map(line => `  ${line}`), '</form>', '',
  ].join('\n')
}

type Texts = ReturnType<typeof textsFor>['texts']

/** True for a field with an input for each option. */
function isGroup(rule: FieldRule): boolean {
  const { input } = fieldTypeOf(rule)
  return input.kind === 'choices' || (input.kind === 'choice' && input.radios === true)
}

function fieldOf(name: string, rule: FieldRule, id: string, texts: Texts, files?: FileInput): string[] {
  const { label = name, required = false, minLength, maxLength, min, max, options = [] } = rule
  const { input: { kind }, formPage } = fieldTypeOf(rule)
  const hint = required || kind === 'tick' ? '' : ` <small>(${escapeHtml(texts.optional)})</small>`
  const labelTag = `<label for="${id}">${escapeHtml(label)}${hint}</label>`
  if (isGroup(rule)) return [
    `<legend>${escapeHtml(label)}${hint}</legend>`,
    ...options.flatMap((value, index) => {
      const optionId = `${id}-${index}`
      // Checkboxes are not required: a browser would require each of them.
      const isRequired = required && kind === 'choice'
      return [
        '<div>',
        `  <input${formatAttributes({ id: optionId, name, required: isRequired, ...formPage, value })}>`,
        `  <label for="${optionId}">${escapeHtml(value)}</label>`,
        '</div>',
      ]
    }),
  ]
  const attributes = { id, name, required, minlength: minLength, maxlength: maxLength, ...formPage }
  switch (kind) {
    case 'tick': return [`<input${formatAttributes(attributes)}>`, labelTag]
    case 'lines': return [labelTag, `<textarea${formatAttributes(attributes)}></textarea>`]
    case 'choice': return [
      labelTag, `<select${formatAttributes(attributes)}>`, '  <option value=""></option>',
      // Without a value, a browser sends the text with its spaces collapsed.
      ...options.map(option => `  <option${formatAttributes({ value: option })}>${escapeHtml(option)}</option>`),
      '</select>',
    ]
    default: return [
      labelTag, `<input${formatAttributes({ ...attributes, min, max, ...kind === 'files' && files })}>`,
    ]
  }
}

/** Formats the attributes that are set, for a tag. */
function formatAttributes(attributes: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(attributes).filter(([, value]) => value !== undefined && value !== false).map(
    ([name, value]) => value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`,
  ).join('')
}
