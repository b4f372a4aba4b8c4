import { expect, test } from 'vitest'
import { plainText } from '../../../../shared/utils/line'
import { cardView } from '../../../../server/domain/cards/card-view'
import { openTriage, type Triage } from '../../../fakes/triage'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const DOWN = { ok: false, permanent: false, reason: 'downstream.example.com answered 503.' } as const

/** A form that is forwarded after some days to an endpoint that is down. */
async function forwardedAfter(days: number) {
  const triage = await openTriage({ form: { to: [] } })
  triage.policy.retryForMs = 3 * DAY
  const state = { isDown: true, attempts: 0 }
  const { post } = triage.endpoint
  triage.endpoint.post = (...args) => {
    state.attempts++
    return state.isDown ? Promise.resolve(DOWN) : post.apply(triage.endpoint, args)
  }
  const id = await triage.post({ name: 'Ada' })
  await triage.sweepAfter(days * DAY)
  await triage.forward(id)
  return { ...triage, id, state, startedAt: triage.runtime.time }
}

/** Sweeps every half hour for some days. */
async function pass({ sweepAfter }: Pick<Triage, 'sweepAfter'>, days: number) {
  for (let passedMs = 0; passedMs < days * DAY; passedMs += HOUR / 2) await sweepAfter(HOUR / 2)
}

test('a weekend without the receiver costs nobody a click: the form is delivered when it is back', async () => {
  const triage = await forwardedAfter(0)
  await pass(triage, 2.5)
  expect(await triage.store.get(triage.id)).toMatchObject({ state: 'settling', data: { name: 'Ada' } })
  expect(triage.state.attempts).toBeLessThan(140)
  triage.state.isDown = false
  await pass(triage, 0.1)
  expect(triage.endpoint.calls).toHaveLength(1)
  expect(await triage.store.get(triage.id)).toMatchObject({ state: 'settled', data: null })
})

test('form data outlives its seven days while it is being delivered, and the card says until when', async () => {
  const triage = await forwardedAfter(6)
  const lines = async () => (
    cardView((await triage.store.get(triage.id))!, triage).notes.map(line => plainText(line)).join('\n')
  )
  expect(await lines()).toMatch(/Endpoint failed: .* Next attempt on .*\nIt is tried until .*; the form data is kept/)
  await pass(triage, 2)
  expect(await triage.store.get(triage.id)).toMatchObject({ state: 'settling', data: { name: 'Ada' } })
  triage.state.isDown = false
  await pass(triage, 0.1)
  expect(triage.endpoint.calls).toHaveLength(1)
})

test('a card whose delivery ends within the seven days has no further line', async () => {
  const triage = await forwardedAfter(0)
  const { notes } = cardView((await triage.store.get(triage.id))!, triage)
  expect(notes.map(line => plainText(line)).join('\n')).not.toContain('It is tried until')
})

test('a delivery that is given up after the seven days leaves people a day to decide again', async () => {
  const triage = await forwardedAfter(6)
  await pass(triage, 3.1)
  const reopened = (await triage.store.get(triage.id))!
  expect(reopened).toMatchObject({ state: 'open', data: { name: 'Ada' }, failures: [{ delivery: 'endpoint' }] })
  expect(triage.board.replies.some(({ text }) => text.includes('expires'))).toBe(true)
  expect(reopened.expiresAt).toBeGreaterThan(triage.startedAt + 3.9 * DAY)
  triage.state.isDown = false
  await triage.forward(triage.id)
  expect(triage.endpoint.calls).toHaveLength(1)
})

test('a delivery that is given up, and that nobody decides again, expires a day later', async () => {
  const triage = await forwardedAfter(6)
  await pass(triage, 4.2)
  expect(await triage.store.get(triage.id)).toMatchObject({ state: 'expired', data: null })
})

test.each([[true, 1], [false, 0]])('with ALERT_CHANNEL (%s), a forward that was given up is told once below its card', async (isSet, told) => {
  const triage = await openTriage({ form: { to: [] } })
  triage.tellsFailures = isSet
  triage.endpoint.answers.push({ ok: false, permanent: true, reason: 'downstream.example.com refused it (400).' })
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.sweepAfter(HOUR)
  await triage.sweepAfter(HOUR)
  expect(triage.board.replies.map(({ text }) => text)).toEqual(Array(told).fill(
    'Endpoint failed: downstream.example.com refused it (400). Decide again on the card.',
  ))
})

test('forwards that fail again and again keep no form data beyond the eleventh day', async () => {
  const triage = await forwardedAfter(6)
  await pass(triage, 3.1)
  for (let hours = 0; hours < 72; hours += 6) {
    await triage.decide({ id: triage.id, action: 'forward' })
    await pass(triage, 0.25)
  }
  expect(await triage.store.get(triage.id)).toMatchObject({ state: 'expired', data: null })
})
