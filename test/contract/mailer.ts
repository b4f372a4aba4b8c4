import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Email, Mailer } from '../../server/ports/delivery'

export interface MailerHarness {
  mailer: Mailer
  /** What was sent, oldest first. */
  sent(): Promise<Pick<Email, 'from' | 'subject' | 'html' | 'text'>[]>
}

const email: Email = {
  from: 'Formbot <bot@example.com>', to: ['team@example.com'], replyTo: 'ada@example.org', subject: 'Hello',
  html: '<p>Hello</p>', text: 'Hello',
}

/** What every `Mailer` does. */
export function mailerContract(name: string, open: () => Promise<MailerHarness>): void {
  describe(`${name} mailer`, () => {
    let harness: MailerHarness
    let key: string

    beforeEach(async () => {
      harness = await open()
      key = randomUUID()
    })

    const subjects = async () => (await harness.sent()).map(({ subject }) => subject)

    test('an email is sent as it was written', async () => {
      expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
      const { from, subject, html, text } = email
      expect(await harness.sent()).toEqual([expect.objectContaining({ from, subject, html, text })])
    })

    test('one key twice sends one email, and both calls succeed', async () => {
      expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
      expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
      expect(await subjects()).toEqual(['Hello'])
    })

    test('one key with another rendering sends the first one only, and both calls succeed', async () => {
      expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
      expect(await harness.mailer.send({ ...email, subject: 'Hello again' }, key)).toMatchObject({ ok: true })
      expect(await subjects()).toEqual(['Hello'])
    })

    test('two keys send two emails, also of the same text', async () => {
      await harness.mailer.send(email, key)
      await harness.mailer.send(email, `${key}-2`)
      expect(await subjects()).toEqual(['Hello', 'Hello'])
    })
  })
}
