import { expect, test } from 'vitest'
import { createSqliteStorage } from '../../../../server/adapters/sqlite/storage'
import { createTestReceipts } from '../../../../server/adapters/storage/test-receipts'
import { EmailRefused } from '../../../../server/domain/errors'
import { TestEmail } from '../../../../server/domain/operations/test-email'
import { testContext } from '../../../fakes/context'
import { FakeMailer } from '../../../fakes/deliveries'
import { failing } from '../../../fakes/board'
import { memoryDatabase } from '../../../support/sqlite'

function openTestEmail({ carrier = 'Resend', waits = [] }: { carrier?: string, waits?: (number | Error)[] } = {}) {
  const mailer = new FakeMailer()
  const mail = {
    fromAddress: 'forms@example.com', fromName: 'Formbot', to: ['team@example.com'], receipts: { waitMs: 1 }, carrier,
  }
  const receipts = createTestReceipts(createSqliteStorage(memoryDatabase()))
  const testEmail = new TestEmail(testContext({ mailer, mail }), receipts, {
    limit: 5, take: async () => {
      const answer = waits.shift() ?? 0
      if (typeof answer === 'number') return answer
      throw answer
    },
  })
  return { testEmail, mailer }
}

test('of each test email it is told what became of that one, at once, and of no other', async () => {
  const { testEmail, mailer } = openTestEmail()
  mailer.answers.push({ ok: true, value: 'one' } as never, { ok: true, value: 'two' } as never)
  expect(await testEmail.send()).toEqual({ to: 'team@example.com', messageId: 'one' })
  await testEmail.told('one', { verdict: 'delivered' })
  expect(await testEmail.send()).toEqual({ to: 'team@example.com', messageId: 'two' })
  expect(await testEmail.read('two')).toEqual({ arrived: false, returned: false, text: null })
  await testEmail.told('two', { verdict: 'bounced', reason: 'mailbox does not exist' })
  await testEmail.told('two', { verdict: 'delivered' })
  expect(await testEmail.read('two')).toEqual({
    arrived: false, returned: true, text: 'Bounced: mailbox does not exist',
  })
  expect(await testEmail.read('one')).toMatchObject({ arrived: true })
})

test('one that is refused, or that would only be kept here, is not said to be sent', async () => {
  const { testEmail, mailer } = openTestEmail()
  mailer.answers.push(failing('Resend answered 403.'))
  await expect(testEmail.send()).rejects.toThrow('Resend answered 403.')
  const demoEmail = openTestEmail({ carrier: '' })
  await expect(demoEmail.testEmail.send()).rejects.toThrow(EmailRefused)
  expect(demoEmail.mailer.calls).toEqual([])
})

test('no more test emails are sent than the limit allows, and none while they cannot be counted', async () => {
  const { testEmail, mailer } = openTestEmail({ waits: [0, 90_000, new Error('The store does not answer.')] })
  await testEmail.send()
  await expect(testEmail.send()).rejects.toMatchObject({ code: 'TOO_MANY_TESTS', retryAfterS: 90 })
  await expect(testEmail.send()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(mailer.calls).toHaveLength(1)
})

test('the answer of the mail server is quoted, of a refusal too, and receipts are not promised', async () => {
  const { testEmail, mailer } = openTestEmail({ carrier: 'SMTP server' })
  mailer.answers.push({ ok: true, value: undefined, said: '250 queued as ABC' }, {
    ok: false, permanent: true, reason: 'Refused (550).', answer: '550 No team@example.com',
  })
  expect(await testEmail.send()).toEqual({
    to: 'team@example.com', messageId: null, said: '250 queued as ABC', hasNoReceipts: true,
  })
  await expect(testEmail.send()).rejects.toThrow('Refused (550). It said: 550 No team@example.com')
})
