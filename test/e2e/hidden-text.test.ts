import { expect, it } from 'vitest'
import { deploy, click, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { textOf } from '../support/slack-people'
import { until } from '../support/until'

const d = endAfterAll(await deploy({
  OPS_PASSWORD: 'a-long-password-for-the-pages', NUXT_SESSION_PASSWORD: 'a-password-of-at-least-32-characters',
}))

/** Forwards a form; resolves with its card, its email and the body sent to the endpoint. */
async function forwarded(data: object) {
  const { id, card } = await submit(d, data)
  await click(d, card, 'forward', id)
  const { body } = await until(
    'the delivery', () => d.endpoint.requests.find(({ headers }) => String(headers['webhook-id']).startsWith(id)),
  )
  const email = await until('the email', async () => (await d.resend.emails()).find(({ text }) => text.includes(id)))
  return { card, email, body: JSON.parse(body) as object }
}

it('what turns text around is shown by a mark on the card and in the email, and reaches the endpoint as it was sent', async () => {
  const data = { 'subject': 'Re\u202Eply', 'file\u2066name': 'picture\u202Egpj.exe', 'list': ['a\u200Fb'] }
  const { card, email, body } = await forwarded(data)
  for (const text of [textOf(card), email.text, email.html]) {
    for (const shown of ['file⟨U+2066⟩name', 'picture⟨U+202E⟩gpj.exe', 'a⟨U+200F⟩b']) expect(text).toContain(shown)
    expect(text).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/)
  }
  expect(email.subject).toBe('Re⟨U+202E⟩ply')
  expect(body).toEqual(data)
})

it('what mail programs would decode, and what is drawn as nothing, is marked in the subject, on the card and in the email', async () => {
  const word = `=?utf-8?B?${Buffer.from('gpj\u202E').toString('base64')}?=`
  for (const data of [{ _subject: `Invoice ${word}`, pay: 'a' }, { name: word }, { subject: `pass\u00ADword\u2800` }]) {
    const { card, email } = await forwarded(data)
    for (const text of [textOf(card), email.text, email.subject]) {
      expect(text).not.toMatch(/=\?utf-8\?B\?|[\u00AD\u2800]/i)
      expect(text).toMatch(/⟨(?:=\?|U\+00AD)⟩/)
    }
  }
})

it.each([
  [{ name: null, email: 'ada@example.com' }, 'Form submission from ada@example.com'],
  [{ name: 'undefined', subject: null }, 'Form submission'],
  [{ name: { first: 'Ada' }, subject: ['a'] }, 'Form submission'],
])('the email of %j has the subject "%s", and says null nowhere', async (data, subject) => {
  const { email, body } = await forwarded(data)
  expect(email.subject).toBe(subject)
  expect(email.text).not.toMatch(/null|\[object/)
  expect(body).toEqual(data)
})
