import { afterEach, describe, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { click, deploy, emailsAbout, submit } from '../support/deployment'
import { forward, MAIL_SECRET, mailEvent, noMailbox, send, tell } from '../support/mail-events'
import { startServer } from '../support/server'
import { until } from '../support/until'

const FORM = { name: 'Ada Lovelace' }
const METRICS_TOKEN = 'a-token-of-some-length'

const d = endAfterAll(await deploy({ MAIL_WEBHOOK_SECRET: MAIL_SECRET, METRICS_TOKEN }))
const store = endAfterAll(new RedisStore(await connectRedis(d.redis.url), storeRules))
afterEach(() => { d.resend.fault = () => undefined })

const forwarded = () => forward(d, store, FORM)

it('ten repeats of an event cost one edit, at once or one after the other', async () => {
  const { id, card, email } = await forwarded()
  const edits = () => d.slack.calls('chat.update').filter(({ ts }) => ts === card.ts).length
  const before = edits()
  const event = mailEvent('bounced', id, email, noMailbox)
  await Promise.all(Array.from({ length: 5 }, () => tell(d, event, { id: 'msg_1' })))
  for (let round = 0; round < 5; round++) expect((await tell(d, event, { id: 'msg_1' })).status).toBe(200)
  expect(edits() - before).toBe(1)
  expect((await store.get(id))?.state).toBe('open')
})

describe('an event', () => {
  it('that Resend did not sign, or not now, is 401 and changes nothing', async () => {
    const { id, email } = await forwarded()
    const { version } = (await store.get(id))!
    const event = mailEvent('bounced', id, email, noMailbox)
    for (const signing of [{ secret: `whsec_${'a'.repeat(32)}` }, { at: Date.now() - 6 * 60_000 }]) {
      const refused = await tell(d, event, signing)
      expect([refused.status, (await refused.json()).code]).toEqual([401, 'NOT_SIGNED'])
    }
    const unsigned = await fetch(`${d.server.url}/api/mail/events`, { method: 'POST', body: JSON.stringify(event) })
    expect(unsigned.status).toBe(401)
    expect((await store.get(id))!.version).toBe(version)
  })

  it('about no email of ours, or of another type, is 200 and counted', async () => {
    const { id, email } = await forwarded()
    for (const event of [
      mailEvent('bounced', 'nothing', email), mailEvent('bounced', id, 'another'), mailEvent('opened', id, email),
    ]) expect((await tell(d, event)).status).toBe(200)
    expect((await store.get(id))!.state).toBe('settled')
    const metrics = await (await fetch(`${d.server.url}/api/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })).text()
    expect(Number(/triage_receipts_total\{verdict="none",result="foreign"\} (\d+)/.exec(metrics)?.[1]))
      .toBeGreaterThanOrEqual(3)
    expect(metrics).toMatch(/triage_receipts_total\{verdict="bounced",result="news"\} \d/)
  })

  it('of 65 KiB is 413', async () => {
    const event = mailEvent('bounced', 'x', 'x', { subject: 'x'.repeat(66_000) })
    expect((await tell(d, event)).status).toBe(413)
  })

  it('while the store is away is 503, and is taken when it is sent again', async () => {
    const { id, email } = await forwarded()
    const event = mailEvent('bounced', id, email, noMailbox)
    d.redis.pause()
    const away = await tell(d, event)
    d.redis.resume()
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)])
    await until('it is taken', async () => (await tell(d, event)).status === 200)
    expect((await store.get(id))!.state).toBe('open')
  })

  it('of an email whose id is not on record yet is 503, to be sent again', async () => {
    const { id, card } = await submit(d, FORM)
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = ({ method }) => method === 'POST' ? { hold: gate.promise } : undefined
    const clicked = click(d, card, 'forward', id)
    await until('it is on its way', async () => (await store.get(id))?.state === 'settling')
    const early = await send(d, mailEvent('delivered', id, 'not on record yet'))
    gate.resolve(undefined)
    expect([early.status, (await early.json()).code]).toEqual([503, 'RECEIPT_TOO_EARLY'])
    await clicked
  })
})

it('without the secret there is no such address, and the form is gone with the forward', async () => {
  const server = endAfterTest(await startServer({ ...d.env, MAIL_WEBHOOK_SECRET: '', RECEIPT_WAIT: '' }))
  const plain = { ...d, server }
  expect((await tell(plain, mailEvent('delivered', 'x', 'x'))).status).toBe(404)
  const { id, card } = await submit(plain, FORM)
  await click(plain, card, 'forward', id)
  await until('only the trace', async () => isOver((await store.get(id))!))
  expect(emailsAbout(d, id).map(({ body }) => 'tags' in JSON.parse(body))).toEqual([false])
})
