import { setTimeout } from 'node:timers/promises'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { cardOf, click, deploy, idOf, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { preloaded } from '../support/preloaded'
import { until } from '../support/until'

/** Time during which forms keep arriving, ms: three times the idle time after which a process loads modules */
const LOAD_MS = 3000

/** Built modules that the first click needs */
const LATE = ['_/bot.mjs', '_/template.mjs', 'api/webhooks/_platform_.post.mjs']

// No sweeps: background work must not interfere.
const d = endAfterAll(await deploy(preloaded('tell-modules.mjs', { SWEEP_INTERVAL_MS: '600000' })))
const redis = endAfterAll(createClient({ url: d.redis.url }))
await redis.connect()

const loaded = () => [...d.server.output().matchAll(/^loaded (\S+) \S+\/\.output\/server\/(\S+)$/gm)].map(
  ([, quietMs, file]) => ({ quietMs: Number(quietMs), file: file! }),
)
const late = () => loaded().filter(({ file }) => LATE.some(end => file.endsWith(end)))

it('modules for the first click are loaded after a second without requests, and no form waits for them', async () => {
  let id = ''
  for (const endsAt = Date.now() + LOAD_MS; Date.now() < endsAt; await setTimeout(50)) {
    id = await idOf(await sendForm(d.server, { name: 'Ada' }))
  }
  await d.server.drain()
  const [keys, cards] = [await redis.keys('*'), d.slack.calls('chat.postMessage').length]
  await until('the modules', () => late().length === LATE.length)
  await d.server.drain()
  // 500 ms is far longer than the pauses between the forms.
  expect(late().filter(({ quietMs }) => quietMs < 500)).toEqual([])
  expect((await redis.keys('*')).filter(key => !keys.includes(key) && key !== '{triage}:health')).toEqual([])
  expect(d.slack.calls('chat.postMessage')).toHaveLength(cards)
  expect([d.resend.requests, d.endpoint.requests]).toEqual([[], []])

  const files = loaded()
  await click(d, await cardOf(d, id), 'forward', id)
  expect([(await d.resend.emails()).length, d.endpoint.requests.length]).toEqual([1, 1])
  expect(loaded()).toEqual(files)
})
