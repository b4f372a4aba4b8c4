import { Chat } from 'chat'
import { createMemoryState } from '@chat-adapter/state-memory'
import { expect, test } from 'vitest'
import { say } from '../../../../server/adapters/chat/streaming'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { whatsapp as platform } from '../../../../server/platforms/whatsapp/definition'
import { silentLog } from '../../../fakes/runtime'
import { endAfterAll } from '../../../support/lifetime'
import { foundBy, startWhatsApp } from '../../../support/whatsapp'
import { adapterOf } from '../../../support/whatsapp-adapter'

const whatsapp = endAfterAll(await startWhatsApp())
const adapter = adapterOf(whatsapp)
const bot = new Chat({
  userName: 'form-bot', adapters: { whatsapp: adapter }, state: createMemoryState(), logger: sdkLogger(silentLog),
  fallbackStreamingPlaceholderText: null,
})
await bot.initialize()

/** Answer as a person reads it, and the markup and links that WhatsApp finds in it. */
async function postAnswer(markdown: string): Promise<{ text: string, effects: string[] }> {
  const thread = bot.thread(`whatsapp:${whatsapp.env.WHATSAPP_PHONE_NUMBER_ID}:${whatsapp.env.WHATSAPP_CHAT_ID}`)
  await say(thread, (async function* () { yield markdown })(), platform, null)
  const { text } = whatsapp.messages().at(-1)!
  return { text: text.replace(/[\u200A\u2060]/g, '').replaceAll('\u02CB', '`'), effects: foundBy(text) }
}

test.each([
  ['lines that end in spaces', 'Ada  \nGrace  \nJoan', 'Ada\nGrace\nJoan'],
  ['signs that mark nothing', '2 * 3, ~5 to ~6, [x] and a \\_b\\_', '2 * 3, ~5 to ~6, [x] and a _b_'],
  ['a backslash', 'C:\\\\forms\\\\', 'C:\\forms\\'],
  ['emphasis within words', 'a*b a*b a*b', 'a_b a_b a*b'],
  ['addresses of email', 'ada@c.example, <grace@c.example>.', 'ada@c.example, grace@c.example.'],
  ['what would begin a quote, a list or code', '\\> a\n\n\\- b\n\n\\`c\\`', '> a\n\n- b\n\n`c`'],
])('%s of an answer are shown as they are', async (_, markdown, expected) => {
  const { text, effects } = await postAnswer(markdown)
  expect(text).toBe(expected)
  expect(effects.filter(each => !each.includes('@'))).toEqual([])
})

test('emphasis of an answer stays', async () => {
  expect(await postAnswer('**Ada** wrote, *yesterday*')).toMatchObject({ text: '*Ada* wrote, _yesterday_' })
})
