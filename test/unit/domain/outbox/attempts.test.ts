import { describe, expect, test } from 'vitest'
import { openTriage, ADA, type Triage } from '../../../fakes/triage'

const DATA = { name: 'Zoë Quintanilla', message: 'Call me' }
const refusal = (status: number, permanent = false) => ({
  ok: false as const, reason: `It answered ${status}.`, permanent, status, answer: `{"got":{"name":"${DATA.name}"}}`,
})

async function attempts({ store }: Triage, id: string) {
  const { history } = (await store.get(id))!
  return history.filter(({ event }) => event === 'failed' || event === 'delivered')
}

describe('the history of a delivery', () => {
  test('says of each attempt how long it took, its status, and the answer without values of the form', async () => {
    const triage = await openTriage()
    triage.mailer.answers.push(refusal(500))
    const thanks = { ok: true as const, value: { status: 202 } }
    triage.endpoint.post = async () => {
      triage.runtime.time += 1200
      return thanks
    }
    const id = await triage.post(DATA)
    await triage.forward(id)
    expect(await attempts(triage, id)).toEqual(expect.arrayContaining([
      expect.objectContaining({
        event: 'failed', kind: 'email', ms: expect.any(Number), status: 500, answer: '{"got":{"name":"[…]"}}',
      }),
      expect.objectContaining({
        event: 'delivered', delivery: 'endpoint', ms: 1200, status: 202,
      }),
    ]))
  })

  test('has one entry for failures that differ in time only, with their number and the first time', async () => {
    const triage = await openTriage({ form: { to: [] } })
    const statuses = [500, 500, 503, 500]
    triage.endpoint.answers.push(...statuses.map(status => refusal(status)))
    const id = await triage.post(DATA)
    const startedAt = triage.runtime.now()
    await triage.forward(id)
    for (let each = 1; each < statuses.length; each++) {
      const due = (await triage.store.get(id))!.work.find(({ kind }) => kind === 'endpoint')!.dueAt
      await triage.sweepAfter(due - triage.runtime.now())
    }
    expect(await attempts(triage, id)).toEqual([
      expect.objectContaining({ status: 503 }), expect.objectContaining({ status: 500, count: 3, since: startedAt }),
    ])
  })

  test('counts anew after another decision', async () => {
    const triage = await openTriage({ form: { to: [] } })
    triage.endpoint.answers.push(refusal(400, true), refusal(400, true))
    const id = await triage.post(DATA)
    await triage.forward(id)
    await triage.forward(id)
    const entries = await attempts(triage, id)
    expect(entries.map(entry => 'count' in entry)).toEqual([false, false])
  })

  test('loses its answers with the form data, also those that arrive later', async () => {
    const triage = await openTriage({ form: { to: [] } })
    const late = Promise.withResolvers<ReturnType<typeof refusal>>()
    triage.endpoint.answers.push(refusal(500), late.promise)
    const id = await triage.post(DATA)
    await triage.forward(id)
    const before = (await triage.store.get(id))!
    expect(JSON.stringify(before.history)).toContain('answer')
    triage.runtime.time = before.work.find(({ kind }) => kind === 'endpoint')!.dueAt
    const sweeping = triage.sweep()
    await triage.outbox.apply(id, [{ type: 'erased', reviewer: ADA, told: ['endpoint'] }])
    late.resolve(refusal(502))
    await sweeping
    expect(JSON.stringify((await triage.store.get(id))!.history)).not.toContain('"answer"')
  })
})
