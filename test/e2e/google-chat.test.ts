import { beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../support/adaptive-card'
import { deploy, emailsAbout, idOf, NO_SLACK, sendForm } from '../support/deployment'
import { APP, startGoogleChat, type GoogleChat, type SignOptions } from '../support/gchat'
import { googleButtons, googleCardText } from '../support/google-card'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { repointed } from '../support/preloaded'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const google = endAfterAll(await startGoogleChat())
// Google Chat alone: no variable of Slack is set.
const d = endAfterAll(await deploy({ ...google.env, ...repointed(google.hosts), ...NO_SLACK, RETRY_BASE_MS: '200' }))
beforeEach(() => { google.fault = () => undefined })

async function submitForm(data: object): Promise<{ id: string, message: Json }> {
  const id = await idOf(await sendForm(d.server, data))
  return { id, message: { ...await until(`the card of ${id}`, () => google.cardOf(id)) } }
}

const now = ({ name }: Json) => google.messages().find(message => message.name === name)!

async function press(
  message: Json, label: string, { server = d.server, ...options }: SignOptions & { server?: Server } = {},
): Promise<number> {
  const { status } = await google.click(server.url, message, label, options)
  await server.drain()
  return status
}

/** Returns the same card as if another app had posted it. */
const lureOf = (message: Json) => ({ ...message, sender: { name: 'users/666', displayName: 'Prizes', type: 'BOT' } })

async function onReplica(act: (replica: Server) => Promise<void>): Promise<void> {
  const replica = await startServer(d.env)
  await act(replica).finally(() => replica.kill())
}

describe('a card on Google Chat', () => {
  it('of another app decides nothing on a replica that has not posted yet, and ours decides there', async () => {
    const { id, message } = await submitForm({ name: 'Ada' })
    await onReplica(async (replica) => {
      expect(await press(lureOf(message), 'Forward Submission', { server: replica })).toBe(200)
      expect([emailsAbout(d, id).length, googleButtons(now(message)).length]).toEqual([0, 2])
      expect(await press(message, 'Forward Submission', { server: replica })).toBe(200)
      await until('the email', () => emailsAbout(d, id).length === 1)
    })
  })

  it('shows the form as it was typed, what a notification says, and a link instead of the edit button', async () => {
    const hostile = '<users/all> <a href="https://evil.example">bank</a> **bold** &amp; {{emoji:wave}}\nnext line'
    const { id, message } = await submitForm({ '<b>title</b>': hostile })
    const { text, links } = googleCardText(message)
    expect(text).toContain(`<b>title</b>\n${hostile}`)
    expect(links).toEqual([`https://forms.example.com/submissions/${id}`])
    expect(googleButtons(message).map(button => button.text)).toEqual(['Forward Submission', 'Mark as Spam'])
    expect(message.fallbackText).toMatch(/^New Form Submission: <b>title<\/b>: <users\/all>/)
    expect(message.text).toBeUndefined()
  })

  it.each(
    ['endpoint', 'project', 'add-on'] as const,
  )('forwarded with the token of an app by %s is closed and says by whom and where', async (as) => {
    const { id, message } = await submitForm({ name: 'Ada' })
    expect(await press(message, 'Forward Submission', { as })).toBe(200)
    await until('the card closed', () => googleButtons(now(message)).length === 0)
    expect(googleCardText(now(message)).text).toContain('Forwarded by Ada Lovelace on Google Chat')
    expect(emailsAbout(d, id)).toHaveLength(1)
  })

  it('of another app decides nothing, though it stands in our space and its buttons are called like ours', async () => {
    const { id, message } = await submitForm({ name: 'Ada' })
    expect(await press(lureOf(message), 'Forward Submission')).toBe(200)
    expect([emailsAbout(d, id).length, googleButtons(now(message)).length]).toEqual([0, 2])
    expect(d.server.output()).toContain('A click on the card of another app has no effect.')
    expect(await press(message, 'Forward Submission')).toBe(200)
    await until('the email', () => emailsAbout(d, id).length === 1)
  })

  it('that is not on record decides nothing while nobody knows how Google names us', async () => {
    const { id, message } = await submitForm({ name: 'Ada' })
    const redis = await connectRedis(d.redis.url)
    await redis.del('chat-sdk:cache:gchat:self:123456789012')
    redis.destroy()
    await onReplica(async (replica) => {
      const forged = { ...message, name: 'spaces/AAAAtriage/messages/forged' }
      for (const lure of [lureOf(forged), forged]) {
        expect(await press(lure, 'Forward Submission', { server: replica })).toBe(200)
      }
      expect(emailsAbout(d, id)).toEqual([])
      expect(await press(message, 'Forward Submission', { server: replica })).toBe(200)
      await until('the email', () => emailsAbout(d, id).length === 1)
    })
  })

  it('posted twice because an answer was lost is there once', async () => {
    let lost = 0
    google.fault = ({ method, path }) => method === 'POST' && path.includes('/messages') && lost++ === 0
      ? 'lose-answer'
      : undefined
    const { id } = await submitForm({ name: 'once' })
    await until('the second post', () => lost === 2)
    await d.server.drain()
    expect(google.messages().filter(message => JSON.stringify(message).includes(id))).toHaveLength(1)
  })
})

const inThread = (thread: string) => google.messages().filter(message => message.thread?.name === thread)

async function answerTo(...[text, said]: [text: string, said?: Parameters<GoogleChat['write']>[2]]): Promise<string> {
  const { thread, response } = await google.write(d.server.url, text, said)
  expect(response.status).toBe(200)
  await d.server.drain()
  const answers = inThread(thread)
  expect(answers).toHaveLength(1)
  return googleCardText(answers[0]!).text
}

const OTHER = { name: 'users/555', displayName: 'Other app' }

it('somebody else\'s app, whose events Google signs for our address too, is not taken for us', async () => {
  const { response } = await google.write(d.server.url, 'hello', { mentions: [OTHER], space: 'spaces/AAAAtheirs' })
  expect(response.status).toBe(200)
  await d.server.drain()
  expect(await answerTo('hello')).toContain('Hello Ada Lovelace')
})

it('a mention beside another app is answered, though nobody has told which of them we are', async () => {
  expect(await answerTo('hello', { mentions: [OTHER, APP] })).toContain('Hello Ada Lovelace')
})

it.each([
  ['no time', undefined], ['a time that is none', 'soon'],
])('a message with %s is answered', async (_, createTime) => {
  expect(await answerTo('hello', { more: { createTime } })).toContain('Hello Ada Lovelace')
  expect(d.server.output()).not.toContain('RangeError')
})
