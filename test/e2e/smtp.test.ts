import { afterEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, emailsAbout, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { headerOf, startSmtp } from '../support/smtp'
import type { Block, SlackMessage } from '../support/slack'
import { startServer } from '../support/server'
import { until } from '../support/until'

const [ADDRESS_A, ADDRESS_B] = ['ada@example.com', 'bob@example.com']
const LEASE_MS = 4000

const smtp = endAfterAll(await startSmtp({
  authOptional: false, disabledCommands: ['STARTTLS'], allowInsecureAuth: true,
  onAuth({ username, password }, _, done) {
    const isRight = username === 'user' && password === 'p@ss/word'
    done(isRight ? null : Object.assign(new Error('No'), { responseCode: 535 }), { user: 1 })
  },
}))
const d = endAfterAll(await deploy({
  SMTP_URL: smtp.url.replace('://', '://user:p%40ss%2Fword@'), MAIL_FALLBACK: 'resend',
  FORWARD_EMAIL: `${ADDRESS_A},${ADDRESS_B}`, LEASE_MS: String(LEASE_MS), SWEEP_INTERVAL_MS: '250',
  FORWARD_ENDPOINT: '', FORWARD_SIGNING_SECRET: '',
}))
afterEach(() => {
  smtp.faults = {}
  d.resend.fault = () => undefined
})

const emailsOf = (id: string) => smtp.emails.filter(({ source }) => source.includes(id))
const textOf = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)
const shows = (card: SlackMessage, text: string) => until(text, async () => (await textOf(card)).includes(text))

describe('a forward by SMTP', () => {
  it('arrives once, with the sender of the form to reply to', async () => {
    const { id, card } = await submit(d, { name: 'Ada Lovelace', email: 'lovelace@example.org' })
    await click(d, card, 'forward', id)
    await shows(card, 'Sent to ada@example.com')
    const [email, ...others] = emailsOf(id)
    expect(others).toEqual([])
    expect(email!.to).toEqual([ADDRESS_A, ADDRESS_B])
    expect(headerOf(email!, 'Reply-To')).toBe('lovelace@example.org')
    expect(headerOf(email!, 'Message-ID')).toBe(`<${id}@example.com>`)
    expect(emailsAbout(d, id)).toEqual([])
  })

  it('that a server greylists three times arrives once', async () => {
    const { id, card } = await submit(d, { name: 'Grey' })
    let attempts = 0
    smtp.faults.recipient = (address) => {
      if (address === ADDRESS_A) attempts++
      return attempts <= 3 ? [451, 'Greylisted'] : undefined
    }
    await click(d, card, 'forward', id)
    await shows(card, 'Sent to ada@example.com')
    expect(emailsOf(id)).toHaveLength(1)
    expect(emailsAbout(d, id)).toEqual([])
  })

  it('whose answer is lost is sent again under the same Message-ID, and the card says so', async () => {
    const { id, card } = await submit(d, { name: 'Lost' })
    let deaths = 0
    smtp.faults.data = () => ++deaths === 1 ? 'die' : undefined
    await click(d, card, 'forward', id)
    await shows(card, 'Email may have arrived twice')
    const ids = emailsOf(id).map(email => headerOf(email, 'Message-ID'))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    expect(emailsAbout(d, id)).toEqual([])
  })

  it('that a server takes longer for than the lease is left before the lease ends', async () => {
    const { id, card } = await submit(d, { name: 'Slow' })
    const { promise, resolve } = Promise.withResolvers<null>()
    let calls = 0
    const startedAt = performance.now()
    smtp.faults.data = () => ++calls === 1 ? promise : undefined
    await click(d, card, 'forward', id)
    await shows(card, 'may have arrived.')
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS)
    expect(calls).toBe(1)
    resolve(null)
    await shows(card, 'Email may have arrived twice')
  })
})

describe('the fallback', () => {
  it('sends by Resend what the mail server refuses, to the refused recipient alone', async () => {
    const { id, card } = await submit(d, { name: 'Partly' })
    smtp.faults.recipient = address => address === ADDRESS_B ? [550, 'No such user'] : undefined
    await click(d, card, 'forward', id)
    await shows(card, 'Sent to ada@example.com')
    expect(emailsOf(id).map(({ to }) => to)).toEqual([[ADDRESS_A]])
    await until('Resend has it', async () => (await d.resend.emails()).some(({ to, html }) => (
      html.includes(id) && to.join() === ADDRESS_B
    )))
  })
})

describe('a refused recipient', () => {
  it('is named, and Send again goes to that one alone', async () => {
    const { id, card } = await submit(d, { name: 'Named' })
    smtp.faults.recipient = address => address === ADDRESS_B ? [550, 'No such user'] : undefined
    // Resend refuses, too.
    d.resend.fault = () => ({ status: 422, body: '{"statusCode":422,"name":"validation_error"}' })
    await click(d, card, 'forward', id)
    await shows(card, 'bob@example.com')
    await shows(card, 'Send again')
    expect(await textOf(card)).toContain('Sent to ada@example.com')
    smtp.faults = {}
    await click(d, card, 'send_again', id)
    const view = d.slack.calls('views.open').at(-1)!.view as Block
    expect(JSON.stringify(view)).toContain(ADDRESS_B)
    expect(JSON.stringify(view)).not.toContain(ADDRESS_A)
    expect(await submitEdit(d, view, { to: ADDRESS_B })).toEqual({})
    await until('it is sent', () => emailsOf(id).length === 2)
    expect(emailsOf(id).map(({ to }) => to)).toEqual([[ADDRESS_A], [ADDRESS_B]])
    const [first, again] = emailsOf(id)
    expect(headerOf(again!, 'References')).toBe(headerOf(first!, 'Message-ID'))
    expect(headerOf(again!, 'Message-ID')).not.toBe(headerOf(first!, 'Message-ID'))
  })
})

describe('a kill while the message is on its way', () => {
  it('loses nothing: the next process sends it under the same Message-ID', async () => {
    const { id, card } = await submit(d, { name: 'Killed' })
    const { promise, resolve } = Promise.withResolvers<null>()
    let calls = 0
    smtp.faults.data = () => ++calls === 1 ? promise : undefined
    void click(d, card, 'forward', id).catch(() => {})
    await until('the message is there', () => calls === 1)
    await d.server.kill()
    resolve(null)
    d.server = await startServer(d.env)
    await shows(card, 'Sent to ada@example.com')
    const ids = emailsOf(id).map(email => headerOf(email, 'Message-ID'))
    expect(new Set(ids).size).toBe(1)
    expect(ids.length).toBeLessThanOrEqual(2)
  })
})
