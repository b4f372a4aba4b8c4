import { memoryState } from '../../../support/sqlite'
import { Chat } from 'chat'
import { beforeEach, expect, test } from 'vitest'
import { FormTelegramAdapter } from '../../../../server/platforms/telegram/adapter'
import { createListener } from '../../../../server/platforms/telegram/polling'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { noteStored } from '../../../../shared/stored'
import { silentLog } from '../../../fakes/runtime'
import { endAfterTest } from '../../../support/lifetime'
import { startTelegram, type Telegram } from '../../../support/telegram'
import { until } from '../../../support/until'

let telegram: Telegram
let state: ReturnType<typeof memoryState>
let handled: string[]
/** Handles what people say. */
let onWords: (words: string) => Promise<void> | void
beforeEach(async () => {
  telegram = endAfterTest(await startTelegram())
  state = memoryState()
  await state.connect()
  handled = []
  onWords = () => {}
})

/** Starts a process of its own, which listens until `stop`. */
async function startProcess() {
  const settings = { botToken: telegram.env.TELEGRAM_BOT_TOKEN!, polling: true, apiUrl: telegram.url }
  const adapter = new FormTelegramAdapter(settings, sdkLogger(silentLog))
  const bot = new Chat({
    userName: 'form-bot', adapters: { telegram: adapter }, state, logger: sdkLogger(silentLog),
    concurrency: 'concurrent',
  })
  bot.onNewMention(async (_, { text }) => {
    const words = text.replace('@form_bot ', '')
    handled.push(words)
    await onWords(words)
  })
  const stopController = new AbortController()
  const listener = await createListener(settings, {
    bot: async () => bot, receive: async () => new Response(), webhookUrl: null, background: () => {}, leaseMs: 1500,
    log: silentLog,
  })
  const listening = listener.listen({ durationMs: Infinity, standBy: true, signal: stopController.signal })
  const stop = () => {
    stopController.abort()
    return listening.catch(() => {})
  }
  endAfterTest({ stop })
  return { stop, status: listener.status, listening }
}

const say = (words: string, userId?: number) => telegram.writeInGroup(null, `@form_bot ${words}`, userId)
const confirmed = () => until('all updates to be confirmed', () => telegram.updates.waiting().length === 0)

test('a message counts as handled once it is stored, however long its answer takes', async () => {
  const answered = Promise.withResolvers<undefined>()
  onWords = () => {
    noteStored()
    return answered.promise
  }
  await startProcess()
  const startedAt = performance.now()
  for (let index = 0; index < 10; index++) await say(`words ${index}`)
  await confirmed()
  // Without the note, each of them would take 5 s.
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  expect(handled).toHaveLength(10)
  answered.resolve(undefined)
})

test('an update whose handler fails comes again, in its place', async () => {
  let failureCount = 0
  onWords = (words) => {
    if (words === 'first' && failureCount++ < 2) throw new Error('No store')
  }
  await startProcess()
  await say('first')
  await say('second')
  await confirmed()
  expect(handled).toEqual(['first', 'first', 'first', 'second'])
})

test('an update that always fails is given up, named, and delays nothing for good', async () => {
  onWords = (words) => {
    if (words === 'poison') throw new Error('Cannot')
  }
  const { status } = await startProcess()
  await say('poison')
  await say('after')
  await confirmed()
  expect(handled.filter(words => words === 'after')).toHaveLength(1)
  expect(await status()).toMatchObject({ deadLetters: 1, lastForwardError: { reason: /^Error while update \d+/ } })
})

test('a process that stops leaves the rest to the next one, which handles nothing twice', async () => {
  const [held, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  onWords = (words) => {
    if (words !== 'second') return
    held.resolve(undefined)
    return released.promise
  }
  for (const words of ['first', 'second', 'third']) await say(words)
  const { stop } = await startProcess()
  await held.promise
  const stopped = stop()
  const next = await startProcess()
  released.resolve(undefined)
  await stopped
  await confirmed()
  expect(handled).toEqual(['first', 'second', 'third'])
  expect(await next.status()).toMatchObject({ deadLetters: 0 })
})

test('a listener that Telegram refuses ends with the setting to change', async () => {
  telegram.fault = ({ path }) => path.endsWith('/getUpdates')
    ? { status: 401, body: '{"ok":false,"error_code":401,"description":"Unauthorized"}' }
    : undefined
  const { listening } = await startProcess()
  await expect(listening).rejects.toThrow('Telegram answered 401. Check TELEGRAM_BOT_TOKEN.')
  telegram.fault = () => undefined
})

test('no offset is sent while nothing is to be confirmed: after a quiet week ids may start below it', async () => {
  await startProcess()
  await say('words')
  const lastRequest = () => (
    JSON.parse(telegram.requests.findLast(({ path }) => path.endsWith('/getUpdates'))!.body) as { offset?: number }
  )
  await until('a request that confirms', () => telegram.updates.isHeld() && lastRequest().offset)
  telegram.updates.timeUp()
  await until('a request without an offset', () => telegram.updates.isHeld() && lastRequest().offset === undefined)
  expect(handled).toEqual(['words'])
})

test('no message is lost while Telegram does not say what the bot is called', async () => {
  let refusalCount = 0
  telegram.fault = ({ path }) => path.endsWith('/getMe') && refusalCount++ < 6 ? 'drop' : undefined
  await say('words')
  const { status } = await startProcess()
  await confirmed()
  expect(handled).toEqual(['words'])
  expect(await status()).toMatchObject({ deadLetters: 0 })
})
