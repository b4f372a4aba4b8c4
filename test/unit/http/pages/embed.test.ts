import { expect, test } from 'vitest'
import { embedded } from '../../../../server/http/pages/embed'
import type { FieldRule } from '../../../../server/ports/field-rules'
import type { FileInput } from '../../../../server/ports/files'
import { httpEvent } from '../event'

const ACTION = 'https://forms.example.com/api/form/contact'

function renderForm(accept: string, rules: object, action = ACTION): string {
  const form = { key: 'contact', name: 'Contact', honeypot: '_gotcha', ...rules }
  return embedded(httpEvent({ accept }), form, action)
}

const note = (rules: object, action?: string) => /This preview cannot be sent: [^<]*/.exec(
  renderForm('text/html', rules, action),
)?.[0]

test('a preview that cannot be sent says so, and why', () => {
  const shop = { allowedOrigins: ['https://shop.example', 'https://www.shop.example'] }
  const only = 'This preview cannot be sent: only https://shop.example, https://www.shop.example may send it.'
  expect([note(shop), note(shop, '/api/form/contact')]).toEqual([only, only])
  expect(note({ apiKey: 'secret' })).toBe('This preview cannot be sent: only servers that have FORM_API_KEY may send it.')
  expect(note({ turnstile: {} })).toMatch(/^This preview cannot be sent: the human check needs a script/)
  expect(renderForm('text/html', { apiKey: 'secret' })).not.toContain('secret')
})

test('a preview that can be sent, and the HTML to copy, say nothing of it', () => {
  expect([note({}), note({ allowedOrigins: ['https://forms.example.com'] })]).toEqual([undefined, undefined])
  expect(renderForm('*/*', { allowedOrigins: ['https://shop.example'] })).not.toContain('preview')
})

/** Reads a response header of a preview. */
function headerOf(name: string, redirect?: string, action = ACTION): string {
  const event = httpEvent({ accept: 'text/html' })
  embedded(event, { key: 'contact', honeypot: '_gotcha', redirect }, action)
  return String(event.node.res.getHeader(name))
}

test('a preview shows its origin to where it is sent, and to nobody else', () => {
  expect(headerOf('Referrer-Policy')).toBe('same-origin')
})

test('a preview may be sent where the form goes, and be led on to the form\'s own page', () => {
  const allowed = (...of: [redirect?: string, action?: string]) => (
    /form-action ([^;]*)/.exec(headerOf('Content-Security-Policy', ...of))?.[1]
  )
  expect(allowed()).toBe('https://forms.example.com')
  expect(allowed('https://shop.example/thanks?x')).toBe('https://forms.example.com https://shop.example')
  expect(allowed('https://shop.example/thanks', '/api/form/contact')).toBe('\'self\' https://shop.example')
  expect(allowed('https://forms.example.com/thanks')).toBe('https://forms.example.com')
})

test('the human check has the site key of its widget, or a place for it', () => {
  const html = renderForm('*/*', { turnstile: { secretKey: 'secret', siteKey: '0x4"B' } })
  expect(html).toContain('data-sitekey="0x4&quot;B"')
  expect(html).not.toMatch(/secret|YOUR_SITE_KEY|site key/)
  expect(renderForm('*/*', { turnstile: { secretKey: 'secret' } }))
    .toMatch(/site key of your widget[^]*"YOUR_SITE_KEY"/)
})

test('our own human check runs in the form to copy and in its preview, from the address of this service alone', () => {
  const altcha = { secret: 'never shown' }
  const widget = `<altcha-widget challenge="https://forms.example.com/api/challenge" auto="onsubmit" language="en">`
  for (const accept of ['*/*', 'text/html']) {
    const form = renderForm(accept, { altcha })
    expect(form).toContain(widget)
    expect(form).toContain('<script src="https://forms.example.com/altcha/widget.js" defer></script>')
    expect(form).not.toMatch(/never shown|cannot be sent/)
  }
  expect(renderForm('*/*', { altcha }, '/api/form/contact')).toContain('challenge="/api/challenge"')
  const policyOf = (rules: object, action = ACTION) => {
    const event = httpEvent({ accept: 'text/html' })
    embedded(event, { key: 'contact', honeypot: '_gotcha', ...rules }, action)
    return String(event.node.res.getHeader('Content-Security-Policy'))
  }
  const runs = (origin: string) => `; script-src ${origin}; connect-src ${origin}; worker-src blob:;`
  expect(policyOf({ altcha })).toContain(runs('https://forms.example.com'))
  expect(policyOf({ altcha }, '/api/form/contact')).toContain(runs('\'self\''))
  expect(policyOf({ turnstile: {} })).not.toMatch(/script|connect|worker/)
})

const html = (files?: FileInput, fields?: Record<string, FieldRule>) => embedded(
  httpEvent(), { key: 'jobs', honeypot: '_gotcha', files, fields }, '/api/form/jobs',
)

test('a form that takes files has an input for them, and sends them', () => {
  const form = html({ multiple: true, accept: 'image/*,application/pdf' })
  expect(form).toContain('<form action="/api/form/jobs" method="post" enctype="multipart/form-data"')
  expect(form).toContain('<input id="jobs-files" name="files" type="file" multiple accept="image/*,application/pdf">')
  expect(html({ multiple: false, accept: 'image/*' })).not.toContain('multiple')
  expect(html()).not.toMatch(/type="file"|enctype/)
})

test('a form with fields for files has an input for each of them, and no other', () => {
  const form = html({ multiple: false, accept: 'application/pdf' }, {
    name: {}, cv: { label: 'Your CV', type: 'file', required: true }, photo: { type: 'file' },
  })
  expect(form).toContain('<label for="jobs-1">Your CV</label>')
  expect(form).toContain('<input id="jobs-1" name="cv" required type="file" accept="application/pdf">')
  expect(form).toContain('<label for="jobs-2">photo <small>(optional)</small></label>')
  expect(form.match(/type="file"/g)).toHaveLength(2)
  expect(form).not.toContain('name="files"')
})

test('a language of the address counts before the browser\'s, also for what answers the form', () => {
  const inLanguage = (url: string) => embedded(
    httpEvent({ 'accept-language': 'fr' }, { url }), { key: 'jobs', honeypot: '_gotcha' }, '/api/form/jobs',
  )
  expect(inLanguage('/?lang=de-AT')).toMatch(/action="\/api\/form\/jobs\?lang=de"[^]*>Senden</)
  expect(inLanguage('/?lang=xx"')).toMatch(/action="\/api\/form\/jobs\?lang=fr"[^]*>Envoyer</)
  expect(inLanguage('/')).toMatch(/action="\/api\/form\/jobs"[^]*>Envoyer</)
})

test('a field of several inputs is a group, in which each option has its label', () => {
  const options = ['S', 'L & <b> "x"']
  const form = html(undefined, {
    size: { label: 'Size', type: 'radio', options, required: true }, extras: { type: 'checkboxes', options },
    more: { label: 'More', type: 'checkboxes', options: ['a'], required: true },
  })
  const escaped = 'L &amp; &lt;b&gt; &quot;x&quot;'
  expect(form).toContain(`
  <fieldset>
    <legend>Size</legend>
    <div>
      <input id="jobs-0-0" name="size" required type="radio" value="S">
      <label for="jobs-0-0">S</label>
    </div>
    <div>
      <input id="jobs-0-1" name="size" required type="radio" value="${escaped}">
      <label for="jobs-0-1">${escaped}</label>
    </div>
  </fieldset>
`)
  expect(form).toContain('<legend>extras <small>(optional)</small></legend>')
  expect(form).toContain(`<input id="jobs-1-1" name="extras" type="checkbox" value="${escaped}">`)
  // Not `required`: a browser would demand that every box is checked.
  expect(form).toContain('<input id="jobs-2-0" name="more" type="checkbox" value="a">')
})

test('what a form and its fields are called is text, whatever is in it', () => {
  const rules = { name: 'A <b> & "c"', fields: { '"><i>': { label: '<u>&amp;' } } }
  expect(renderForm('*/*', rules)).toMatch(/<label for="contact-0">&lt;u&gt;&amp;amp; <small>[^]* name="&quot;&gt;&lt;i&gt;"/)
  const preview = renderForm('text/html', rules)
  expect(preview).toContain('<h1>A &lt;b&gt; &amp; &quot;c&quot;</h1>')
  expect(preview).not.toMatch(/<[biu]>/)
})

test('a choice is sent as it is written', () => {
  expect(html(undefined, { size: { type: 'select', options: ['Large  & "tall"'] } })).toContain(
    '<option value="Large  &amp; &quot;tall&quot;">Large  &amp; &quot;tall&quot;</option>',
  )
})

test.each<[FieldRule, string]>([
  [{ type: 'text', minLength: 2, maxLength: 9 }, 'input minlength="2" maxlength="9" type="text"'],
  [{ type: 'textarea', required: true }, 'textarea required rows="6"'],
  [{ type: 'email' }, 'input type="email" autocomplete="email"'],
  [{ type: 'url' }, 'input type="url" autocomplete="url"'], [{ type: 'tel' }, 'input type="tel" autocomplete="tel"'],
  [{ type: 'number', min: 0.5, max: 9 }, 'input type="number" step="any" min="0.5" max="9"'],
  [{ type: 'integer', min: 1 }, 'input type="number" min="1"'],
  [{ type: 'checkbox', required: true }, 'input required type="checkbox" value="true"'],
  [{ type: 'date', max: '2026-12-31' }, 'input type="date" max="2026-12-31"'],
  [{ type: 'select', options: ['S'] }, 'select'], [{}, 'input type="text"'],
])('a field as %j is asked for by <%s>', (rule, tag) => {
  const [, name, attributes = ''] = /^(\w+)(.*)/.exec(tag)!
  expect(html(undefined, { field: rule })).toContain(`<${name} id="jobs-0" name="field"${attributes}>`)
})
