import { createMemoryState } from '@chat-adapter/state-memory'
import { Chat } from 'chat'
import { expect, test } from 'vitest'
import { renderAnswer } from '../../../../server/adapters/chat/speech'
import { say } from '../../../../server/adapters/chat/streaming'
import { previewOf } from '../../../../server/domain/conversation/previews'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { telegram as platform } from '../../../../server/platforms/telegram/definition'
import { formsOf } from '../../../fakes/forms'
import { silentLog } from '../../../fakes/runtime'
import { submissionOf } from '../../../fixtures/views'
import { endAfterAll } from '../../../support/lifetime'
import { startTelegram } from '../../../support/telegram'
import { adapterOf } from '../../../support/telegram-adapter'

const telegram = endAfterAll(await startTelegram())
const bot = new Chat({
  userName: 'form-bot', adapters: { telegram: adapterOf(telegram) }, state: createMemoryState(),
  logger: sdkLogger(silentLog), fallbackStreamingPlaceholderText: null,
})
await bot.initialize()

test.each([
  ['names of versions', (n: number) => `(+${n}) v1.2-3 ok! `], ['nothing but signs', (n: number) => `${n}.-+=! `],
  ['addresses of email', (n: number) => `a.b_${n}@c-d.example `],
])('a long answer of %s is there to its last word, in as many messages as it takes', async (_, partAt) => {
  const messageCount = telegram.messages().length
  const parts = Array.from({ length: 600 }, (_, n) => partAt(n))
  const thread = bot.thread(`telegram:${telegram.env.TELEGRAM_CHAT_ID}`)
  await say(thread, (async function* () { yield parts.join('') })(), platform, null)
  const texts = telegram.messages().slice(messageCount).map(({ text }) => text)
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.join(' ')).toBe(parts.join('').trim())
})

test('the end of an answer that grows comes when Telegram takes it, however full the group is', async () => {
  const body = JSON.stringify({ ok: false, error_code: 429, description: 'No.', parameters: { retry_after: 6 } })
  let refusalCount = 0
  telegram.fault = ({ path }) => path.endsWith('/editMessageText') && refusalCount++ === 0
    ? { status: 429, body }
    : undefined
  const thread = bot.thread(`telegram:${telegram.env.TELEGRAM_CHAT_ID}`)
  await say(thread, (async function* () { yield* ['One form ', 'waits.'] })(), platform, null)
  expect(telegram.messages().at(-1)!.text).toBe('One form waits.')
})

test.each(['a', '.', '/a`'])('of a list of submissions that say %j each has its link', async (sign) => {
  const site = 'https://form-triage-git-main-some-company.vercel.app'
  const data = Object.fromEntries(['a', 'b', 'c'].map(key => [key + sign.repeat(90), sign.repeat(90)]))
  const submissions = Array.from({ length: 5 }, () => ({ ...submissionOf(data), id: crypto.randomUUID() }))
  const items = submissions.map(submission => previewOf(submission, { siteUrl: site, forms: formsOf() }))
  const text = ['At least 1,000 submissions wait. The oldest came on 21 Nov 2026, 12:03 UTC. The newest 5:']
  const thread = bot.thread(`telegram:${telegram.env.TELEGRAM_CHAT_ID}`)
  await thread.post(renderAnswer({ speech: { text, items } }, platform))
  const messageText = telegram.messages().at(-1)!.text
  expect(messageText.match(/\(https:\S+\)$/gm)).toEqual(submissions.map(({ id }) => `(${site}/submissions/${id})`))
})
