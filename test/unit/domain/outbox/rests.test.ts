import { expect, test } from 'vitest'
import type { Outcome, Posted } from '../../../../server/ports/delivery'
import { plainText } from '../../../../shared/utils/line'
import { cardView } from '../../../../server/domain/cards/card-view'
import { restingParts } from '../../../../server/domain/outbox/rests'
import { linesOf } from '../../../../server/domain/queries/deliveries'
import { openTriage } from '../../../fakes/triage'

const MINUTE = 60_000
const down = (status: number): Outcome<Posted> => ({
  ok: false, permanent: status === 401, outage: true, status, reason: `downstream.example.com answered ${status}.`,
})

/** Forms of two endpoints, whose calls are noted with their times; `isDown` says which fail. */
async function openDowns(options: { kinds?: number[] } = {}) {
  const { kinds = [503] } = options
  const calls: { host: string, name: string, at: number, ok: boolean, key: string }[] = []
  const isDown = { crm: true, erp: false }
  let attempts = 0
  const endpointOf = (host: 'crm' | 'erp') => ({
    host, url: `https://${host}.example.com/in`, post: async (body: string, key: string): Promise<Outcome<Posted>> => {
      const { name } = JSON.parse(body) as { name: string }
      calls.push({ host, name, at: triage.runtime.time, ok: !isDown[host], key })
      return isDown[host] ? down(kinds[attempts++ % kinds.length]!) : { ok: true, value: { status: 200 } }
    },
  })
  const triage = await openTriage({ form: { destinations: [
    { id: 'endpoint:CRM', endpoint: endpointOf('crm') }, { id: 'endpoint:ERP', endpoint: endpointOf('erp') },
  ] } })
  triage.policy.retryForMs = 3 * 24 * 60 * MINUTE
  const forward = async (name: string) => {
    const id = await triage.post({ name })
    await triage.decide({ id, action: 'forward' })
    await triage.runtime.drain()
    return id
  }
  /** Lets time pass, with a sweep every ten seconds. */
  const pass = async (ms: number) => {
    const until = triage.runtime.time + ms
    while (triage.runtime.time < until) {
      triage.outbox.rests.wake()
      await triage.sweepAfter(10_000)
    }
  }
  const callsOf = (host: string) => calls.filter(call => call.host === host)
  return { ...triage, calls, callsOf, isDown, forward, pass }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `Form ${index}`)

test('after five failures in a row a destination gets one trial a minute, and what waits keeps its place', async () => {
  const t = await openDowns()
  for (const name of names(5)) await t.forward(name)
  const restingAt = t.runtime.time
  expect(await restingParts(t)).toEqual(['endpoint:CRM'])
  for (const name of ['A', 'B', 'C']) await t.forward(name)
  expect(t.callsOf('crm').filter(({ at }) => at > restingAt).length).toBeLessThan(4)
  await t.pass(10 * MINUTE)
  const trials = t.callsOf('crm').filter(({ at }) => at > restingAt + MINUTE)
  expect(trials.length).toBeGreaterThan(5)
  expect(trials.length).toBeLessThanOrEqual(12)
  for (const [index, { at }] of trials.slice(1).entries()) expect(at - trials[index]!.at).toBeGreaterThanOrEqual(MINUTE)
})

test('what waits goes out once it works again: oldest first, each once, at the pace of the receiver', async () => {
  const t = await openDowns()
  for (const name of names(30)) await t.forward(name)
  await t.pass(20 * MINUTE)
  t.isDown.crm = false
  await t.pass(5 * MINUTE)
  const sent = t.callsOf('crm').filter(({ ok }) => ok)
  expect(sent.map(({ name }) => name).sort()).toEqual(names(30).sort())
  expect(sent.map(({ name }) => name)).toEqual(names(30))
  for (const [index, { at }] of sent.slice(2).entries()) expect(at - sent[index + 1]!.at).toBeGreaterThanOrEqual(100)
  for (const name of names(30)) {
    expect(new Set(t.callsOf('crm').filter(call => call.name === name).map(({ key }) => key)).size).toBe(1)
  }
  await t.forward('after')
  expect(t.callsOf('crm').at(-1)).toMatchObject({ name: 'after', ok: true })
})

test('a destination that is down delays no other', async () => {
  const t = await openDowns()
  for (const name of names(12)) await t.forward(name)
  expect(t.callsOf('erp').map(({ name }) => name)).toEqual(names(12))
  expect(t.callsOf('erp').every(({ ok }) => ok)).toBe(true)
})

test('refused credentials end no delivery while the destination rests', async () => {
  const t = await openDowns({ kinds: [503, 503, 503, 503, 503, 401] })
  const ids = []
  for (const name of names(8)) ids.push(await t.forward(name))
  await t.pass(10 * MINUTE)
  for (const id of ids) expect(await t.store.get(id)).toMatchObject({ state: 'settling' })
})

test('a refusal of one submission is no failure of its destination', async () => {
  const t = await openDowns()
  t.isDown.crm = false
  const refused: Outcome<Posted> = { ok: false, permanent: true, content: true, status: 422, reason: 'Refused (422).' }
  const endpoint = t.forms.of(undefined).destinations[0]!.endpoint!
  const { post } = endpoint
  endpoint.post = async () => refused
  for (const name of names(6)) await t.forward(name)
  endpoint.post = post
  await t.forward('good')
  expect(t.callsOf('crm').map(({ name }) => name)).toEqual(['good'])
})

test('another process knows within seconds that a destination rests, and another one may release what waits', async () => {
  const t = await openDowns()
  for (const name of names(5)) await t.forward(name)
  const other = t.createOutbox()
  const id = await t.post({ name: 'elsewhere' })
  const before = t.callsOf('crm').length
  const applied = await other.apply(id, [{
    type: 'claimed', action: 'forward', reviewer: { id: 'U2', name: 'Grace', platform: 'Slack' },
    deliveries: ['endpoint:CRM'],
  }])
  if ('refused' in applied) throw new Error(applied.refused)
  await other.run(applied.submission, applied.added.filter(({ kind }) => kind === 'endpoint:CRM'))
  expect(t.callsOf('crm').slice(before).map(({ name }) => name)).not.toContain('elsewhere')
  t.isDown.crm = false
  other.rests.wake(['endpoint/crm'])
  await t.pass(5 * MINUTE)
  expect(t.callsOf('crm').filter(({ ok, name }) => ok && name === 'elsewhere')).toHaveLength(1)
})

test('an outage of hours with hundreds of forms: each once, oldest first, within ten minutes of its end', async () => {
  const t = await openDowns()
  const forms = names(300)
  const startedAt = t.runtime.time
  // Time passes meanwhile: the queue waits for its next trial.
  for (const name of forms) await t.forward(name)
  const backAt = t.runtime.time
  expect(backAt - startedAt).toBeGreaterThan(2 * 60 * MINUTE)
  expect(t.callsOf('crm').length).toBeLessThanOrEqual(5 + (backAt - startedAt) / MINUTE)
  t.isDown.crm = false
  await t.pass(10 * MINUTE)
  const sent = t.callsOf('crm').filter(({ ok }) => ok)
  expect(sent.map(({ name }) => name)).toEqual(forms)
  expect(sent.at(-1)!.at - backAt).toBeLessThan(10 * MINUTE)
  for (const [index, { at }] of sent.slice(2).entries()) expect(at - sent[index + 1]!.at).toBeGreaterThanOrEqual(100)
  expect(t.callsOf('erp')).toHaveLength(forms.length)
})

test('a card says that its delivery waits in line, and so do the lists; one edit of the card says it', async () => {
  const t = await openDowns()
  for (const name of names(5)) await t.forward(name)
  const id = await t.forward('waiting')
  const submission = (await t.store.get(id))!
  expect(cardView(submission, t).notes.map(line => plainText(line)).join('\n')).toContain(
    'CRM waits in line: its receiver fails, and is tried once a minute',
  )
  expect(linesOf(submission, t)).toMatchObject([{ destination: 'endpoint:CRM', state: 'waiting', attempts: 0 }])
  const edits = t.board.history.length
  await t.pass(5 * MINUTE)
  expect(t.board.history.length - edits).toBeLessThanOrEqual(5)
})

test('a pause that a resting receiver asks for is kept, longer than that between trials', async () => {
  const t = await openDowns()
  for (const name of names(5)) await t.forward(name)
  const endpoint = t.forms.of(undefined).destinations[0]!.endpoint!
  const { post } = endpoint
  let asked = 0
  endpoint.post = async () => {
    asked++
    return { ...down(429) as Outcome & { ok: false }, limited: true, retryAfterMs: 60 * MINUTE }
  }
  await t.pass(50 * MINUTE)
  expect(asked).toBe(1)
  endpoint.post = post
  t.isDown.crm = false
  await t.pass(20 * MINUTE)
  expect(t.callsOf('crm').filter(({ ok }) => ok)).toHaveLength(5)
})

test('an answer about a wrong address releases nothing', async () => {
  const t = await openDowns()
  for (const name of names(8)) await t.forward(name)
  const endpoint = t.forms.of(undefined).destinations[0]!.endpoint!
  let asked = 0
  endpoint.post = async () => {
    asked++
    return { ok: false, permanent: true, status: 404, reason: 'downstream.example.com refused it (404).' }
  }
  await t.pass(3 * MINUTE)
  expect(asked).toBeLessThanOrEqual(4)
})

test('emails with a fallback never wait in line: the fallback takes those that have failed often', async () => {
  const triage = await openTriage({ form: { endpoint: null } })
  triage.mail.fallback = true
  const failure = { ok: false, permanent: false, outage: true, reason: 'Down.' } as const
  triage.mailer.answers.push(...Array<typeof failure>(7).fill(failure))
  const ids = []
  for (const name of names(7)) {
    const id = await triage.post({ name })
    await triage.forward(id)
    ids.push(id)
  }
  expect(triage.mailer.calls).toHaveLength(7)
  for (const id of ids) expect(await triage.store.get(id)).toMatchObject({ work: [{ attempts: 1, reason: 'Down.' }] })
})
