import { beforeEach, describe, expect, test } from 'vitest'
import { Deliveries } from '../../../../server/domain/outbox/send-again'
import { exportTable, jsonArray } from '../../../../server/domain/operations/export'
import { ADA, openTriage, submissionsIn, type Triage } from '../../../fakes/triage'

const answered = (status: number, permanent: boolean) => ({
  ok: false as const, reason: `It answered ${status}.`, permanent, status, answer: 'no',
})
const MINUTE_MS = 60_000

let triage: Triage
let deliveries: Deliveries
beforeEach(async () => {
  triage = await openTriage({ form: { to: [] } })
  deliveries = new Deliveries(triage, submissionsIn(triage), triage.sweep)
})

/** Forwards a form whose POST fails. */
async function failing(name: string, isGivenUp: boolean): Promise<string> {
  triage.endpoint.answers.push(answered(isGivenUp ? 400 : 500, isGivenUp))
  const id = await triage.post({ name })
  await triage.forward(id)
  return id
}

const sendAgain = (body: unknown) => triage.settle(deliveries.sendAgain(body, ADA))
const shown = async (query = {}) => (await deliveries.list(query)).lines.map(({ id, state }) => [id, state])

describe('the list of deliveries', () => {
  test('has what failed or waits, the latest attempt first, and nothing that arrived', async () => {
    const startedAt = triage.runtime.now()
    const failed = await failing('Ada', true)
    const failedAt = triage.runtime.now()
    triage.runtime.time += MINUTE_MS
    const waiting = await failing('Bob', false)
    const arrived = await triage.post({ name: 'Eve' })
    await triage.forward(arrived)
    const page = await deliveries.list({})
    expect(page).toMatchObject({ total: 2, complete: true, cursor: null, destinations: [{ key: 'endpoint' }] })
    expect(page.lines).toEqual([
      expect.objectContaining({ id: waiting, state: 'waiting', status: 500, nextAttemptAt: expect.any(Number) }),
      expect.objectContaining({
        id: failed, state: 'failed', status: 400, answer: 'no', attempts: 1, nextAttemptAt: null,
        destination: 'endpoint', to: ['downstream.example.com'],
        at: expect.toSatisfy((at: number) => at >= startedAt && at <= failedAt),
      }),
    ])
  })

  test('is filtered by destination, state and time, and comes in pages', async () => {
    const first = await failing('Ada', true)
    const firstAt = triage.runtime.now()
    triage.runtime.time += MINUTE_MS
    const second = await failing('Bob', false)
    const [a, b] = [[first, 'failed'], [second, 'waiting']]
    for (const [query, lines] of [
      [{ destination: 'endpoint' }, [b, a]], [{ destination: 'Downstream.Example.com' }, [b, a]],
      [{ destination: 'crm.example.com' }, []], [{ state: 'failed' }, [a]], [{ state: 'waiting' }, [b]],
      [{ to: new Date(firstAt).toISOString() }, [a]], [{ from: String(firstAt + 1) }, [b]],
    ]) expect([query, await shown(query as object)]).toEqual([query, lines])
    const page = await deliveries.list({ limit: 1 })
    expect([page.lines.length, page.total]).toEqual([1, 2])
    expect(await shown({ limit: 1, before: page.cursor })).toEqual([a])
    for (const query of [{ from: 'soon' }, { state: 'done' }, { limit: 0 }, { before: 'x' }]) {
      await expect(async () => deliveries.list(query)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }
  })

  test('can be exported', async () => {
    const id = await failing('Ada', true)
    const { columns, rows } = await exportTable(triage, 'deliveries')
    const line = {
      id, destination: 'endpoint', state: 'failed', at: new Date(triage.runtime.time).toISOString(), attempts: 1,
      status: 400, answer: 'no',
    }
    expect([columns, await Array.fromAsync(rows)]).toEqual([Object.keys(line), [line]])
    expect(JSON.parse((await Array.fromAsync(jsonArray(triage, 'deliveries'))).join(''))).toEqual([line])
  })
})

describe('sending again', () => {
  test('repeats what failed and what waits, with the keys of before', async () => {
    const ids = [await failing('Ada', true), await failing('Bob', false)]
    const keys = triage.endpoint.calls.map(({ key }) => key)
    // Due within a lease: another process may be doing it.
    expect((await sendAgain({ ids: [ids[1]] })).refused).toEqual([
      { id: ids[1], reason: expect.stringContaining('sent already') },
    ])
    for (let tries = 0; tries < 3; tries++) {
      triage.endpoint.answers.push(answered(500, false))
      const { work } = (await triage.store.get(ids[1]!))!
      await triage.sweepAfter(work.find(({ kind }) => kind === 'endpoint')!.dueAt - triage.runtime.now())
    }
    triage.endpoint.calls.length = 0
    expect(await sendAgain({ destination: 'downstream.example.com' })).toEqual({
      sent: expect.arrayContaining(ids), refused: [], left: 0,
    })
    expect(triage.endpoint.calls.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    expect(await shown()).toEqual([])
  })

  test('takes only what is chosen, and says of each other why not', async () => {
    const [failed, other] = [await failing('Ada', true), await failing('Bob', true)]
    const arrived = await triage.post({ name: 'Eve' })
    expect(await sendAgain({ ids: [failed, arrived, 'none'] })).toEqual({
      sent: [failed], left: 0,
      refused: [arrived, 'none'].map(id => ({ id, reason: 'No delivery of it failed or waits.' })),
    })
    expect(await sendAgain({ destination: 'endpoint', state: 'waiting' })).toMatchObject({ sent: [], left: 0 })
    expect(await shown()).toEqual([[other, 'failed']])
  })

  test('obeys the reviewers of each form', async () => {
    const [failed, waiting] = [await failing('Ada', true), await failing('Bob', false)]
    const stranger = { id: 'U9', name: 'Eve', platform: 'Slack', names: ['slack:U9'] }
    triage.forms.all[0]!.reviewers = ['slack:U1'] as never
    const { sent, refused } = await triage.settle(deliveries.sendAgain({ ids: [failed, waiting] }, stranger))
    expect([sent, refused.map(({ id }) => id)]).toEqual([[], [failed, waiting]])
    expect(triage.endpoint.calls).toHaveLength(2)
  })

  test('takes at most 1,000 at once, and says how many are left', async () => {
    const { store, runtime } = triage
    const failures = [{ delivery: 'endpoint', reason: 'no' }]
    for (let number = 0; number < 1001; number++) {
      const id = await triage.receive({ number })
      const kept = (await store.get(id))!
      await store.replace(kept, { ...kept, version: kept.version + 1, failures })
    }
    await runtime.drain()
    const { sent, refused, left } = await sendAgain({ destination: 'endpoint' })
    expect([sent.length, refused.length, left]).toEqual([1000, 0, 1])
  })

  test.each([
    {}, { ids: 'x' }, { ids: Array.from({ length: 1001 }, () => 'x') }, { state: 'failed' },
    { destination: 'endpoint', ids: ['x'], state: 'failed' }, { destination: 'endpoint', from: 'soon' },
  ])('refuses a request that is none: %j', async body => (
    expect(sendAgain(body)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  ))
})
