import { describe, expect, test } from 'vitest'
import { composeEmail } from '../../../../server/domain/outbox/email'
import { CONTROLS, envelopeOf, nextOf, subjectOf } from '../../../../server/domain/intake/envelope'
import { cardView } from '../../../../server/domain/cards/card-view'
import { screen } from '../../../../server/domain/intake/intake'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { PRESENTATION, submissionOf } from '../../../fixtures/views'

const SENDER = { group: '203.0.113.7', client: '203.0.113.7', trusted: false, hasFiles: false }

describe('what a page says about its form', () => {
  const body = {
    name: 'Ada', _next: ['https://shop.example/', 'x'], _subject: { a: 1 }, _replyto: null, _other: 'kept', _: '',
  }

  test('is no data in an HTML form, whatever it is; names that mean nothing are', async () => {
    const { data, next, envelope } = await screen(
      body, SENDER, testContext(), { form: { labels: {} }, isHtmlForm: true },
    )
    expect(data).toEqual({ name: 'Ada', _other: 'kept', _: '' })
    expect([next, envelope]).toEqual(['https://shop.example/', undefined])
    expect(CONTROLS.every(name => !(name in (data as object)))).toBe(true)
  })

  test('is data like all else in JSON', async () => {
    const { data, next, envelope } = await screen(body, SENDER, testContext(), { form: { labels: {} } })
    expect(data).toEqual(body)
    expect([next, envelope]).toEqual([undefined, undefined])
  })

  test('is a subject of one line, and an address that a header can carry', () => {
    const envelope = envelopeOf({
      _subject: ' Engine\r\nBcc: all@example.com\u202E ', _replyto: 'Ada <ada@example.com>',
    })
    expect(envelope).toEqual({ subject: 'Engine Bcc: all@example.com', replyTo: 'ada@example.com' })
    expect(envelopeOf({ _subject: 'x'.repeat(5000) })!.subject).toHaveLength(200)
    for (const address of [
      'ada@example.com\r\nBcc: all@example.com', 'a@example.com, b@example.com', 'ada', '@', 'ada@localhost', ' ',
      'ada@x.y\u0000',
    ]) expect(envelopeOf({ _replyto: address })).toBeUndefined()
  })

  test('is no inherited property', () => {
    const body = Object.create({ _next: 'https://shop.example/', _subject: 'x' }) as Record<string, unknown>
    expect([nextOf(body), envelopeOf(body)]).toEqual([undefined, undefined])
  })
})

describe('what a submission is about', () => {
  const subjectFor = (data: Record<string, unknown>, subject?: string) => subjectOf(
    { ...submissionOf(data as never), envelope: { subject: 'said' } }, { subject },
  )

  test.each([
    ['Order of {item} by {name}', { item: 'an engine', name: 'Ada' }, 'Order of an engine by Ada'],
    ['Order of {item} by {name}', { item: 'an engine' }, 'Order of an engine by'],
    ['Order of {item}', { name: 'Ada' }, 'said'],
    ['Order of {item}', { item: { a: 1 } }, 'said'],
    ['{n} × {item}', { n: 2, item: 'a\nb' }, '2 × a b'],
    ['{n} kg', { n: JSON.rawJSON('1.50') }, '1.50 kg'],
    ['{__proto__}{constructor}', {}, 'said'],
    ['{a} {b}', { a: '{b}', b: 'x' }, '{b} x'],
    ['Orders', {}, 'Orders'],
  ])('%s with %j is %s', (template, data, subject) => expect(subjectFor(data, template)).toBe(subject))

  test('is its data, and gone with them', () => {
    const erasedSubmission = { ...submissionOf({}), data: null, envelope: { subject: 'said' } }
    expect(subjectOf(erasedSubmission, { subject: 'x' })).toBeUndefined()
  })

  test('stands first on its card, and in the headers of its email', async () => {
    const submission = {
      ...submissionOf({ name: 'Ada', email: 'ada@example.com' }),
      envelope: { subject: 'Engine <b>', replyTo: 'reply@example.com' },
    }
    expect(cardView(submission, PRESENTATION).fields.map(({ label, value }) => [label, value])).toEqual([
      ['Subject', 'Engine <b>'], ['Reply to', 'reply@example.com'], ['name', 'Ada'], ['email', 'ada@example.com'],
    ])
    const email = await composeEmail(
      submission, { ...formsOf().of(undefined), name: 'Contact' }, { fromAddress: 'bot@example.com', fromName: 'Bot' },
      async () => () => ({ html: '', text: '', isWhole: true }),
    )
    expect(email).toMatchObject({ subject: '[Contact] Engine <b>', replyTo: 'reply@example.com' })
  })
})
