import fc from 'fast-check'
import { parse, type DefaultTreeAdapterMap } from 'parse5'
import { describe, expect, test } from 'vitest'
import { renderEmail } from '../../../../server/adapters/email/template'
import type { EmailContent, EmailField, EmailTemplate } from '../../../../server/ports/delivery'
import type { Field } from '../../../../server/ports/submission'
import { hostileText } from '../../../fixtures/form-data'
import { runs } from '../../../support/properties'

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']

const render: EmailTemplate = renderEmail

const content = (fields: readonly EmailField[], overrides: Partial<EmailContent> = {}): EmailContent => ({
  subject: 'Question', heading: 'Form submission', fields, files: [],
  received: 'Received 21 Nov 2026, 12:03 UTC', decided: 'Forwarded by Grace on Slack, 21 Nov 2026, 12:05 UTC',
  submissionId: 'id-1', correction: '', attachment: 'submission-id-1.json', ...overrides,
})
const field = (label: string, value: string, edited = false): Field => ({ label, value, edited })

const children = (node: Node): Node[] => 'childNodes' in node ? node.childNodes : []
const elementsOf = (node: Node): Element[] => [
  ...'tagName' in node ? [node] : [], ...children(node).flatMap(elementsOf),
]
const attribute = (element: Element, name: string) => element.attrs.find(attr => attr.name === name)?.value
const textOf = (node: Node): string => 'value' in node
  ? node.value
  : 'tagName' in node && node.tagName === 'br' ? '\n' : children(node).map(textOf).join('')

/** Every element with every attribute, in order; only the value of `aria-label` may vary. */
const skeleton = (html: string): string[] => elementsOf(parse(html)).map(({ tagName, attrs }) => {
  const shownAttributes = attrs.map(({ name, value }) => name === 'aria-label' ? name : `${name}=${value}`)
  return `${tagName} ${shownAttributes.join(' ')}`
})

/** Label and value of every row, as a reader sees them */
function rowsOf(html: string): { label: string, value: string, edited: boolean }[] {
  return elementsOf(parse(html)).filter(element => attribute(element, 'class') === 'line').map((row) => {
    const [label, value] = children(row).filter(node => 'tagName' in node)
    return {
      label: textOf(children(label!)[0]!), value: textOf(value!),
      edited: elementsOf(label!).some(element => attribute(element, 'class') === 'edited'),
    }
  })
}

const lines = (text: string) => text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)

// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\0-\x08\v\f\x0E-\x1F\x7F-\x9F\uFDD0-\uFDEF\uFFFE\uFFFF]/g
const visible = (text: string) => text.toWellFormed().replace(INVISIBLE, '\uFFFD')

describe('HTML part', () => {
  /** Random field, so short that three of them fit into an email even after escaping */
  const anyField = fc.record({
    label: hostileText.map(text => text.slice(0, 500)), value: hostileText.map(text => text.slice(0, 4000)),
    edited: fc.boolean(),
  })

  test('no element and no attribute stems from form text, whatever it is', () => {
    fc.assert(fc.property(fc.array(anyField, { maxLength: 3 }), hostileText, hostileText, (fields, subject, name) => {
      const harmless = fields.map(({ value, edited }) => field(
        'x', value && lines(value).map(() => 'x').join('\n'), edited,
      ))
      const { html } = render(
        content(fields, { subject: subject.slice(0, 120), decided: `Forwarded by ${name.slice(0, 80)}!` }),
      )
      expect(skeleton(html)).toEqual(skeleton(render(content(harmless)).html))
    }), { numRuns: runs(60) })
  })

  test('every label and value is shown as it was typed', () => {
    fc.assert(fc.property(fc.array(anyField, { maxLength: 3 }), (fields) => {
      expect(rowsOf(render(content(fields)).html)).toEqual(fields.map(({ label, value, edited }) => ({
        label: visible(label).replace(/\r\n?/g, '\n') || '(no name)',
        value: lines(value).map(visible).join('\n') || '—',
        edited,
      })))
    }), { numRuns: runs(60) })
  })

  test.each([
    '{{rows}}', '{{subject}}{{footer}}', '$&', '$1 $` $\' $$', '{{', '}}', '<!--', ']]>', '</title><script>',
    '" onload="x', '&lt;',
  ])('%s comes out as typed, as label, value, subject and name', (typed) => {
    const { html } = render(content([field(typed, typed)], { subject: typed, decided: typed }))
    const elements = elementsOf(parse(html))
    expect(rowsOf(html)).toEqual([{ label: typed, value: typed, edited: false }])
    expect(textOf(elements.find(({ tagName }) => tagName === 'title')!)).toBe(typed)
    expect(elements.map(element => attribute(element, 'aria-label')).filter(Boolean)).toEqual([typed])
    expect(
      elements.filter(element => element.tagName === 'div' && textOf(element) === typed).length,
    ).toBeGreaterThanOrEqual(3)
  })

  test('nothing is loaded from anywhere', () => {
    const { html } = render(content([field('Name', 'Ada')]))
    expect(html).not.toMatch(/\b(src|href)=|@import|url\(/)
  })

  test('the inbox preview shows the first values on one line', () => {
    const { html } = render(content([field('Name', 'Ada'), field('Empty', ''), field('Message', 'Two\nlines')]))
    const preview = elementsOf(parse(html)).find(element => attribute(element, 'style')?.startsWith('display:none'))
    expect(textOf(preview!)).toBe('Name: Ada · Message: Two lines')
  })

  test('a heading that the subject repeats is shown once', () => {
    const times = (subject: string) => render(content([], { subject })).text.split('Form submission').length - 1
    expect([times('Form submission'), times('Form submission from Ada'), times('Hello')]).toEqual([1, 1, 1])
  })
})

describe('Text part', () => {
  test('says the same: label and value, edits, who, when and which', () => {
    expect(render(content([
      field('Name', 'Ada'), field('Company', ''), field('', 'x'), field('Message', 'Hello,\r\n\n  you', true),
    ])).text).toBe(`Form submission
Question

Name: Ada

Company: —

(no name): x

Message (edited):
  Hello,
  
    you

----
Forwarded by Grace on Slack, 21 Nov 2026, 12:05 UTC
Received 21 Nov 2026, 12:03 UTC
Submission id-1
`)
  })

  test('says what the sender wrote beside what was edited; so does the HTML part', () => {
    const { html, text } = render(content([{ ...field('Name', 'Grace', true), was: 'Ada <1>' }]))
    expect(text).toContain('Name (edited): Grace\n  (was: Ada <1>)\n')
    expect(html).toContain('<del>Ada &lt;1&gt;</del>')
  })

  test('no value and no label can begin a line of its own', () => {
    const forged = 'x\n----\rForwarded\u2028by\u0085Mallory\v\f'
    const { text } = render(content([field(forged, forged)]))
    expect(
      text.split(/[\n\r\v\f\u0085\u2028\u2029]/).filter(line => /^(----|Forwarded|by|Mallory)/.test(line)),
    ).toEqual(['----', 'Forwarded by Grace on Slack, 21 Nov 2026, 12:05 UTC'])
  })
})

describe('A list or an object', () => {
  const order = { ...field('Order', '{"items":[{"name":"Engine"}],"note":"a\\nb"}'), tree: [
    { depth: 0, name: 'items:', value: '' }, { depth: 1, name: '1.', value: '' },
    { depth: 2, name: 'name:', value: 'Engine' }, { depth: 0, name: 'note:', value: 'two\n----' },
  ] }

  test('is indented line by line, in both parts', () => {
    const { html, text } = render(content([order]))
    expect(text).toContain('Order:\n  items:\n    1.\n      name: Engine\n  note:\n    two\n    ----\n')
    const branches = elementsOf(parse(html)).filter(element => attribute(element, 'style')?.startsWith('margin-left'))
    expect(branches.map(branch => [attribute(branch, 'style'), textOf(branch)])).toEqual([
      ['margin-left:0px', 'items: '], ['margin-left:18px', '1. '], ['margin-left:36px', 'name: Engine'],
      ['margin-left:0px', 'note: two\n----'],
    ])
  })

  test('brings in no markup, whatever stands in it', () => {
    const branch = (text: string) => ({ ...order, tree: [{ depth: 3, name: text, value: text }] })
    fc.assert(fc.property(hostileText, (typed) => {
      const text = typed.slice(0, 2000).split(/[\n\v\f\r\u0085\u2028\u2029]/)[0]!
      expect(skeleton(render(content([branch(text)])).html)).toEqual(skeleton(render(content([branch('x')])).html))
    }), { numRuns: runs(60) })
  })

  test.each([[700, true], [1001, false]])('of %i lines is whole: %s', (length, isWhole) => {
    const tree = Array.from({ length }, (_, index) => ({ depth: 20, name: `${index + 1}.`, value: '' }))
    const rendered = render(content([{ ...order, tree }]))
    expect([rendered.isWhole, rendered.text.includes('Cut here')]).toEqual([isWhole, !isWhole])
    expect(Buffer.byteLength(rendered.html)).toBeLessThan(100_000)
    expect(rendered.text).toContain('\n                          1.\n')
  })
})

describe('A submission that no email can hold', () => {
  test.each([
    ['one endless value', [field('Name', 'Ada'), field('Message', '"'.repeat(3_000_000))], 'The last field is'],
    [
      'an endless label', [field('Name', 'Ada'), field('"'.repeat(3_000_000), 'x'), field('z', 'z')],
      'The last 2 of 3 fields are',
    ],
    [
      'fields without end',
      [field('Name', 'Ada'), ...Array.from({ length: 20_000 }, (_, index) => field(`f${index}`, '👍'))],
      'fields are missing or incomplete.',
    ],
  ])('%s is cut, and both parts say so', (_, fields, notice) => {
    const { html, text, isWhole } = render(content(fields))
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
    expect(Buffer.byteLength(html)).toBeGreaterThan(notice.startsWith('The last 2') ? 5000 : 98_000)
    expect(isWhole).toBe(false)
    for (const part of [html, text]) {
      expect(part).toContain('Cut here: this submission is too long for one email.')
      expect(part).toContain(notice)
      expect(part).toContain('Ada')
      expect(part).toContain('Submission id-1')
      expect(part).toContain('All fields are in the attached submission-id-1.json.')
    }
  })

  test('its files stand below the fields, however many and whatever they are called', () => {
    const files = Array.from({ length: 20 }, (_, index) => (
      field('"'.repeat(16_000), `${'"'.repeat(150)}, at file:///${index}`)
    ))
    const { html, text } = render(content([field('Name', 'Ada'), field('a', 'x'.repeat(200_000))], { files }))
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
    for (const part of [html, text]) expect(part).toMatch(/Ada[^]*The last field is[^]*file:\/\/\/0\D[^]*file:\/\/\/19\D/)
  })

  test('the longest subject, heading and names still leave it below 100 KB', () => {
    const texts = {
      subject: '"'.repeat(120), heading: '"'.repeat(200), decided: '"'.repeat(2000), correction: '"'.repeat(200),
    }
    expect(Buffer.byteLength(render(content([field('a', '"'.repeat(200_000))], texts)).html)).toBeLessThan(100_000)
  })

  test('what fits is whole', () => {
    expect(
      [80_000, 100_000].map(length => render(content([field('a', 'x'.repeat(length))])).isWhole),
    ).toEqual([true, false])
  })

  test('a correction says so above the fields, in both parts', () => {
    const { html, text } = render(content([field('Name', 'Ada')], { correction: 'This corrects the email.' }))
    for (const part of [html, text]) expect(part).toMatch(/This corrects the email\.[^]*Ada/)
  })

  test('a form without fields says so', () => {
    const { html, text } = render(content([]))
    for (const part of [html, text]) expect(part).toContain('The form was sent without any fields.')
  })
})
