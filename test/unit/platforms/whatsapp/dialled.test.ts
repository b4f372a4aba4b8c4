import { createMemoryState } from '@chat-adapter/state-memory'
import { Card, CardText, Chat } from 'chat'
import { expect, test } from 'vitest'
import { createSdkRoom } from '../../../../server/platforms/shared/sdk-room'
import { whatsapp as platform } from '../../../../server/platforms/whatsapp/definition'
import { silentLog } from '../../../fakes/runtime'
import { endAfterTest } from '../../../support/lifetime'
import { startWhatsApp } from '../../../support/whatsapp'
import { adapterOf } from '../../../support/whatsapp-adapter'

async function start(dialled?: string) {
  const whatsapp = endAfterTest(await startWhatsApp({ dialled }))
  const { env } = whatsapp
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (...facts: unknown[]) => void warnings.push(facts) }
  const adapter = adapterOf(whatsapp, [env.WHATSAPP_CHAT_ID!], log)
  const bot = new Chat({
    userName: 'form-bot', adapters: { whatsapp: adapter }, state: createMemoryState(), logger: 'silent',
  })
  const room = await createSdkRoom(platform, `${env.WHATSAPP_PHONE_NUMBER_ID}:${env.WHATSAPP_CHAT_ID}`, async () => bot)
  return { room, warnings, post: () => room.post(Card({ children: [CardText('Hello')] }), 'Hello', 'key') }
}

test('a number that WhatsApp has otherwise than it is dialled is a problem, which the log says once', async () => {
  const { room, warnings, post } = await start('49015112345678')
  expect(await room.check!()).toEqual({ ok: true, value: undefined })
  expect(await post()).toMatchObject({ ok: true })
  expect(await post()).toMatchObject({ ok: true })
  expect(await room.check!()).toEqual({
    ok: false, permanent: false, reason: 'WhatsApp calls this number 4915112345678: set WHATSAPP_CHAT_ID to it.',
  })
  expect(JSON.stringify(warnings).match(/set WHATSAPP_CHAT_ID to it/g)).toHaveLength(1)
  const right = await start()
  expect(await right.post()).toMatchObject({ ok: true })
  expect([await right.room.check!(), right.warnings]).toEqual([{ ok: true, value: undefined }, []])
})
