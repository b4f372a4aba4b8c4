import { describe, expect, test } from 'vitest'
import { createResendNotices } from '../../../../server/adapters/email/notices'
import { MAIL_SECRET, mailEvent, noMailbox, signedHeaders } from '../../../support/mail-events'

const notices = createResendNotices(MAIL_SECRET)

function readNotice(event: unknown, headers?: Record<string, string>) {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const sentHeaders = headers ?? signedHeaders(body)
  return notices.read(body, name => sentHeaders[name])
}

const readReceipt = (type: string, details = {}) => readNotice(mailEvent(type, 'id-1', 'email-1', details))

describe('what Resend tells', () => {
  test.each([
    ['sent', 'sent'], ['delivered', 'delivered'], ['delivery_delayed', 'delayed'], ['complained', 'complained'],
    ['suppressed', 'suppressed'], ['failed', 'failed'], ['bounced', 'bounced'],
  ])('email.%s is the verdict %s on the submission that its tag names', async (type, verdict) => {
    expect(await readReceipt(type)).toEqual({ submission: 'id-1', messageId: 'email-1', receipt: { verdict } })
  })

  test.each([
    [{ subType: 'NoEmail', message: 'x' }, 'mailbox does not exist'],
    [{ subType: 'MailboxFull', message: 'x' }, 'mailbox is full'],
    [{ subType: 'General', message: 'The receiving server refused it.' }, 'The receiving server refused it'],
    [{ subType: 'constructor', message: 'x' }, 'x'],
    [{ message: ' Two\r\nlines\u2028and\u202E more\0. ' }, 'Two lines and⟨U+202E⟩ more'],
    [{ message: 7 }, ''], [{}, ''], [undefined, ''], ['text', ''],
  ])('a bounce %j says %j, in one line', async (bounce, reason) => {
    expect(await readReceipt('bounced', { bounce })).toMatchObject({
      receipt: { verdict: 'bounced', ...reason && { reason } },
    })
  })

  test('a reason is at most 200 well-formed characters', async () => {
    const { receipt } = await readReceipt('failed', { failed: { reason: `${'x'.repeat(198)}👍👍` } }) as {
      receipt: { reason: string }
    }
    expect(receipt.reason).toHaveLength(199)
    expect(receipt.reason.endsWith('x…')).toBe(true)
    expect(receipt.reason.isWellFormed()).toBe(true)
  })

  test.each([
    ['another type', mailEvent('opened', 'id-1', 'email-1')], ['no type of an email', { type: 'toString', data: {} }],
    ['an email of somebody else', mailEvent('bounced', 'id-1', 'email-1', { tags: { category: 'x' } })],
    ['no tag', mailEvent('bounced', 'id-1', 'email-1', { tags: undefined })],
    ['no email', mailEvent('bounced', 'id-1', '')], ['no event', 'null'], ['no JSON', '{"type":'], ['nothing', ''],
  ])('%s is foreign', async (_, event) => expect(await readNotice(event)).toBe('foreign'))
})

describe('a signature', () => {
  const event = mailEvent('bounced', 'id-1', 'email-1', noMailbox)
  const body = JSON.stringify(event)
  const good = signedHeaders(body)

  test('of the secret, just now, is taken, also beside one of another secret', async () => {
    const otherHeaders = signedHeaders(body, { secret: `whsec_${'a'.repeat(32)}`, id: good['svix-id'] })
    const combinedHeaders = { ...good, 'svix-signature': `${otherHeaders['svix-signature']} ${good['svix-signature']}` }
    for (const headers of [good, combinedHeaders]) {
      expect(await readNotice(body, headers)).toMatchObject({ receipt: { reason: 'mailbox does not exist' } })
    }
  })

  test.each([
    ['of another secret', signedHeaders(body, { secret: `whsec_${'a'.repeat(32)}` })],
    ['of more than 5 minutes ago', signedHeaders(body, { at: Date.now() - 305_000 })],
    ['of more than 5 minutes from now', signedHeaders(body, { at: Date.now() + 310_000 })],
    ['of another body', signedHeaders(`${body} `)],
    ['of another id', { ...good, 'svix-id': 'msg_2' }],
    ['of another time', { ...good, 'svix-timestamp': String(Number(good['svix-timestamp']) + 1) }],
    ['that is none', { ...good, 'svix-signature': 'v1,' }], ['of no scheme', { ...good, 'svix-signature': 'v0,x' }],
    ['without an id', { ...good, 'svix-id': '' }], ['at no time', { ...good, 'svix-timestamp': 'now' }],
    ['that is absent', {}],
  ])('%s is forged', async (_, headers) => expect(await readNotice(body, headers)).toBe('forged'))
})
