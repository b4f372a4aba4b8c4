import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SubmissionFiles } from '../../../../server/domain/files/submission-files'
import { composeEmail, emailSubject, treeOf } from '../../../../server/domain/outbox/email'
import type { MailSender, EmailContent } from '../../../../server/ports/delivery'
import { renderEmail } from '../../../../server/adapters/email/template'
import type { Form } from '../../../../server/ports/form'
import { formsOf } from '../../../fakes/forms'
import { only } from '../../../fakes/only'
import { hostileText } from '../../../fixtures/form-data'
import { submissionOf } from '../../../fixtures/views'
import { parseJson } from '../../../../server/domain/json'
import { runs } from '../../../support/properties'

const subjectOf = (data: Record<string, unknown>) => emailSubject(submissionOf(data), formsOf().of(undefined))
const sender: MailSender = { fromAddress: 'bot@example.com', fromName: 'Formbot' }

async function compose(
  data: Record<string, unknown>, senderChanges: Partial<MailSender> = {}, form: Partial<Form> = {},
  { isWhole = true, earlier, repetition }: { isWhole?: boolean, earlier?: { at: number }, repetition?: string } = {},
) {
  let templateContent: EmailContent | undefined
  const template = (content: EmailContent) => {
    templateContent = content
    return { html: 'html', text: 'text', isWhole }
  }
  const email = await composeEmail(
    submissionOf(data), formsOf(form).of(undefined), { ...sender, ...senderChanges }, async () => template,
    { correctedEmail: earlier, repetition },
  )
  return { email, content: templateContent! }
}

test('a list or an object comes as a tree, but for one that its form reads in words', async () => {
  const { content } = await compose({ order: { item: 'Engine' }, name: 'Ada', tags: ['a'] }, {}, {
    fields: { tags: { type: 'select' } },
  })
  expect(content.fields.map(({ tree }) => tree)).toEqual([
    [{ depth: 0, name: 'item:', value: 'Engine' }], undefined, undefined,
  ])
})

test('a list or an object is no subject, but may have the sender\'s name and address; a number may be a subject', async () => {
  const nestedData = { subject: ['One', 'Two'], name: { first: 'Ada' }, via: ['grace@example.com'] }
  const { email } = await compose({ ...nestedData, email: 'ada@example.com' })
  expect([email.subject, email.replyTo]).toEqual(['Form submission from Ada', 'ada@example.com'])
  expect((await compose(nestedData)).email.replyTo).toBe('grace@example.com')
  expect((await compose({ ...nestedData, topic: 42 })).email.subject).toBe('42')
})

describe('Subject', () => {
  test.each([
    [{ name: 'Ada', subject: 'A question' }, 'A question'],
    [{ Topic: 'Pricing', Subject: ' ' }, 'Pricing'],
    [{ title: 'Mrs.', first_name: 'Ada' }, 'Form submission from Ada'],
    [{ Title: 'Sale', name: 'Ada' }, 'Sale'],
    [{ 'Full Name': 'Ada Lovelace', 'email': 'ada@example.com' }, 'Form submission from Ada Lovelace'],
    [{ first_name: 'Ada' }, 'Form submission from Ada'],
    [{ 'E-Mail': 'ada@example.com' }, 'Form submission from ada@example.com'],
    [{ 'email address': 'ada@example.com' }, 'Form submission from ada@example.com'],
    [{ name: '', message: 'Hi' }, 'Form submission'],
    [{ username: 'ada', filename: 'x.pdf' }, 'Form submission'],
    [{}, 'Form submission'],
    [{ subject: 'undefined', name: 'null', email: 'ada@example.com' }, 'Form submission from ada@example.com'],
    [{ subject: '[object Object]', name: 'Null' }, 'Form submission from Null'],
  ])('%j is "%s"', (data, subject) => expect(subjectOf(data)).toBe(subject))

  test.each([
    '\r\n', '\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0', '\u202E', '\u200B',
  ])('%j in form text starts no second header', (separator) => {
    const line = /^(?:Form submission from )?Ada(?: |⟨U\+[\dA-F]{4}⟩)Bcc: all@example\.com$/
    for (const key of ['subject', 'name']) {
      expect(subjectOf({ [key]: `Ada${separator}Bcc: all@example.com` })).toMatch(line)
    }
  })

  test('is one line of at most 120 well-formed characters, whatever the form says', () => {
    fc.assert(fc.property(fc.constantFrom('subject', 'name', 'email'), hostileText, (label, value) => {
      const subject = subjectOf({ [label]: value.toWellFormed() })
      expect(subject.length).toBeLessThanOrEqual(120)
      expect(subject).not.toBe('')
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(subject.isWellFormed()).toBe(true)
    }))
  })

  test('is never cut through an emoji', () => {
    expect(subjectOf({ subject: `${'x'.repeat(118)}👍 and more` })).toBe(`${'x'.repeat(118)}…`)
  })

  test('keeps composed emoji and Persian words in one piece', () => {
    expect(subjectOf({ subject: '👩‍🚀 می‌خواهم' })).toBe('👩‍🚀 می‌خواهم')
  })
})

describe('Reply address', () => {
  test.each([
    [{ email: 'ada@example.com' }, 'ada@example.com'],
    [{ email: ' ada@example.com\n' }, 'ada@example.com'],
    [{ colleague: 'bob@example.com', email: 'ada@example.com' }, 'ada@example.com'],
    [{ contact: 'ada@example.com' }, 'ada@example.com'],
    [{ email: 'none', contact: 'ada@example.com' }, 'ada@example.com'],
    [{ email: 'Ada <ada@example.com>' }, 'ada@example.com'],
    [{ email: '"Lovelace, Ada" <ada@example.com>' }, 'ada@example.com'],
    [{ email: '"Say \\"hi\\" <x@y.example>" <ada@example.com>' }, 'ada@example.com'],
    [{ email: 'ada@work.example <ada@example.com>' }, 'ada@example.com'],
    [{ email: '<ada@example.com>' }, 'ada@example.com'],
    [{ email: 'ada@bücher.example' }, 'ada@xn--bcher-kva.example'],
    [{ email: 'Ада <ada@пример.рф>' }, 'ada@xn--e1afmkfd.xn--p1ai'],
    [{ email: 'ada@xn--e1afmkfd.xn--p1ai' }, 'ada@xn--e1afmkfd.xn--p1ai'],
    [{ email: 'ада@example.com' }, undefined],
    [{ email: 'ada@bücher' }, undefined],
    [{ email: 'ada@bü cher.example' }, undefined],
    [{ email: 'ada@127.1' }, undefined],
    [{ email: 'ada@１２７.0.0.1' }, undefined],
    [{ email: 'Ada <ada@example.com>, Bob <bob@example.com>' }, undefined],
    [{ email: 'ada@example.com, Bob <bob@example.com>' }, undefined],
    [{ email: 'Ada <ada@example.com> (work)' }, undefined],
    [{ email: 'Ada\r\nBcc: all@example.com <ada@example.com>' }, undefined],
    [{ email: 'Ada <ada@example.com>\r\nBcc: all@example.com' }, undefined],
    [{ email: 'Ada <ada@example.com\r\nBcc: all@example.com>' }, undefined],
    [{ email: 'Ada <ada@bücher.example\u2028Bcc: x>' }, undefined],
    [{ email: '<<ada@example.com>>' }, undefined],
    [{ email: 'Ada <>' }, undefined],
    [{ email: 'ada@example.com, bob@example.com' }, undefined],
    [{ email: 'ada@example.com;bob@example.com' }, undefined],
    [{ email: 'ada@example.com bob@example.com' }, undefined],
    [{ email: 'ada@example.com\r\nBcc: all@example.com' }, undefined],
    [{ email: 'ada@example.com\u2028bob@example.com' }, undefined],
    [{ email: `${'a'.repeat(250)}@example.com` }, undefined],
    [{}, undefined],
  ])('of %j is %s', async (data, address) => expect((await compose(data)).email.replyTo).toBe(address))
})

describe('Email', () => {
  test('says who decided, when it came and which it is; absent replies stay absent', async () => {
    const { email, content } = await compose({ subject: 'Hi', n: 1 })
    expect(email).toEqual({
      from: 'Formbot <bot@example.com>', replyTo: undefined, subject: 'Hi', html: 'html',
      text: 'text', headers: {
        'Auto-Submitted': 'auto-generated', 'X-Entity-Ref-ID': 'one', 'Message-ID': '<one@example.com>',
        'References': '<one@example.com>',
      },
    })
    expect(content).toMatchObject({
      subject: 'Hi', heading: 'Form submission', submissionId: 'one',
      received: expect.stringMatching(/^Received .* UTC$/),
      fields: [{ label: 'subject', value: 'Hi', edited: false }, { label: 'n', value: '1', edited: false }],
    })
  })

  test('that has no room for all of it carries the whole submission as JSON', async () => {
    const { email, content } = await compose({ n: 1, text: 'x' }, {}, {}, { isWhole: false })
    expect(content.attachment).toBe('submission-one.json')
    expect(email.attachments).toEqual([
      { filename: 'submission-one.json', contentType: 'application/json', content: '{"n":1,"text":"x"}' },
    ])
  })

  test('that has no room for all fields names every file, and where a large one is', async () => {
    const file = { field: 'cv', name: 'cv.pdf', type: 'application/pdf', size: 30 * 2 ** 20, sha256: 'ab' }
    const submission = { ...submissionOf({ message: 'x'.repeat(200_000) }), envelope: { files: [file] } }
    const files = only<SubmissionFiles>({
      url: () => 'https://forms.example.com/api/files/one/0', read: () => (async function* () {})(),
    })
    const { html, text } = await composeEmail(
      submission, formsOf({}).of(undefined), sender, async () => renderEmail, { files },
    )
    for (const part of [html, text]) {
      expect(part).toMatch(/Cut here: .*\. The last field is missing or incomplete\. All fields are in the attached/)
      expect(part).toMatch(/cv\.pdf \(application\/pdf, 30 MB\), until .* at https:\/\/forms\.example\.com\/api\/files\/one\/0/)
    }
  })

  test('that corrects an earlier one says so, in its subject too', async () => {
    const { email, content } = await compose(
      { subject: 'Hi' }, {}, { name: 'Contact' }, { earlier: { at: Date.UTC(2026, 10, 21, 12, 3) } },
    )
    expect(email.subject).toBe('Corrected: [Contact] Hi')
    expect(content.correction).toBe('This corrects the email that was sent on 21 Nov 2026, 12:03 UTC: somebody edited the submission since.')
  })

  test('that is not the first of its submission has an id of its own, and refers to the first', async () => {
    const { email } = await compose({ n: 1 }, {}, {}, { repetition: 'one-2' })
    expect(email.headers).toEqual({
      'Auto-Submitted': 'auto-generated', 'X-Entity-Ref-ID': 'one', 'Message-ID': '<one-2@example.com>',
      'In-Reply-To': '<one@example.com>', 'References': '<one@example.com>',
    })
  })

  test('replies go to the sender', async () => {
    const { email } = await compose({ email: 'ada@example.com', to: 'mallory@example.com' })
    expect(email.replyTo).toBe('ada@example.com')
  })

  test.each([
    ['Formbot', 'Formbot <bot@example.com>'],
    ['O\'Neill-Forms 2', 'O\'Neill-Forms 2 <bot@example.com>'],
    ['Acme, Inc.', '"Acme, Inc." <bot@example.com>'],
    ['Acme <x@y.z>', '"Acme <x@y.z>" <bot@example.com>'],
    ['Say "hi" \\', '"Say \\"hi\\" \\\\" <bot@example.com>'],
    ['Zoë', '"Zoë" <bot@example.com>'],
    ['Acme\r\nBcc: all@example.com', '"Acme Bcc: all@example.com" <bot@example.com>'],
  ])('the sender name %j stays a name', async (fromName, from) => {
    expect((await compose({}, { fromName })).email.from).toBe(from)
  })

  test('of a named form names it, and knows sender and topic by their keys whatever the labels say', async () => {
    const labels = { message: 'Nachricht', email: 'Ihre Adresse', subject: 'Worum es geht' }
    const { email, content } = await compose(
      { subject: 'Hi', email: 'ada@example.com', message: 'Hello', extra: '1' }, {}, { name: 'Kontakt', labels },
    )
    expect([email.subject, email.replyTo, content.heading]).toEqual([
      '[Kontakt] Hi', 'ada@example.com', 'Form submission: Kontakt',
    ])
    expect(content.fields.map(({ label }) => label)).toEqual(['Nachricht', 'Ihre Adresse', 'Worum es geht', 'extra'])
  })
})

test('lists and objects are told line by line, numbers as they were sent', () => {
  const value = parseJson('{"to":{"city":"Z\\u202eh","":null},"items":[12345678901234567890,"",[],{"a":true}]}')
  expect(treeOf({ value })).toEqual([
    { depth: 0, name: 'to:', value: '' }, { depth: 1, name: 'city:', value: 'Z⟨U+202E⟩h' },
    { depth: 1, name: '(no name):', value: 'null' }, { depth: 0, name: 'items:', value: '' },
    { depth: 1, name: '1.', value: '12345678901234567890' }, { depth: 1, name: '2.', value: '—' },
    { depth: 1, name: '3.', value: '—' }, { depth: 1, name: '4.', value: '' },
    { depth: 2, name: 'a:', value: 'true' },
  ])
})

test('a tree has the text of a choice, the values of JSON in a text, and no content of a file', () => {
  const value = {
    plan: { label: 'Basic', value: 'basic' }, cart: '{"item":"Engine"}',
    scan: `data:image/png;base64,${'A'.repeat(4096)}`,
    rows: { first: 'c1' },
  }
  expect(treeOf({ value, choices: new Map([['c1', 'Blue']]) })).toEqual([
    { depth: 0, name: 'plan:', value: 'Basic' }, { depth: 0, name: 'cart:', value: '' },
    { depth: 1, name: 'item:', value: 'Engine' }, { depth: 0, name: 'scan:', value: 'PNG picture, 3 KB' },
    { depth: 0, name: 'rows:', value: '' }, { depth: 1, name: 'first:', value: 'Blue' },
  ])
})

test.each([['text'], [7], [null], [{}], [[]], [true]])('%j is no tree', (value) => {
  expect(treeOf({ value })).toBeUndefined()
})

test('of the longest one an email is told enough to see that there is more', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }), (length) => {
    expect(treeOf({ value: Array(length).fill([1]) })!.length).toBeLessThanOrEqual(1002)
    expect(treeOf({ value: Array(length).fill(1) })!.length).toBe(Math.min(length, 1001))
  }), { numRuns: runs(10) })
})
