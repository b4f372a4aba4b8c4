import { expect, it } from 'vitest'
import { deploy, NO_SLACK, submitForm } from '../support/deployment'
import { APP, startGoogleChat, type GoogleChat } from '../support/gchat'
import { googleButtons, googleCardText } from '../support/google-card'
import { endAfterAll } from '../support/lifetime'
import { repointed } from '../support/repointed'
import { until } from '../support/until'

const google = endAfterAll(await startGoogleChat())
// Set up as in the README: without GOOGLE_CHAT_BOT_USER_ID.
const d = endAfterAll(await deploy({ ...google.env, ...repointed(google.hosts), ...NO_SLACK }))

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

it('a mention in a space is answered in its thread, with the buttons', async () => {
  const { thread } = await google.write(d.server.url, 'hello')
  await d.server.drain()
  const [welcome] = inThread(thread)
  expect(googleCardText(welcome!).text).toContain('Hello Ada Lovelace, I am the form triage bot.')
  expect(googleButtons(welcome!).map(({ text }) => text)).toEqual(['Say hello', 'Where am I?', 'Ask for a human'])
  expect((await google.click(d.server.url, welcome!, 'Where am I?')).status).toBe(200)
  await d.server.drain()
  expect(
    inThread(thread).map(message => googleCardText(message).text).at(-1),
  ).toContain('You are talking to me on Google Chat.')
})

it.each([
  ['no time', undefined], ['a time that is none', 'soon'],
])('a message with %s is answered', async (_, createTime) => {
  expect(await answerTo('hello', { more: { createTime } })).toContain('Hello Ada Lovelace')
  expect(d.server.output()).not.toContain('RangeError')
})

it('what is said while the space takes no more gets there when it may', async () => {
  let refused = 0
  google.fault = ({ method, path }) => method === 'POST' && path.includes('/messages') && refused++ < 2
    ? { status: 429, body: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}' }
    : undefined
  expect(await answerTo('hello')).toContain('Hello Ada Lovelace')
  google.fault = () => undefined
})

it('a form that is shown on request appears as it was typed', async () => {
  const hostile = '<users/all> **bold** [bank](https://evil.example)\nnext line'
  const id = await submitForm(d.server, { title: hostile })
  await until('the card', () => google.cardOf(id))
  expect(await answerTo(`show ${id}`)).toContain(`title\n${hostile}`)
})
