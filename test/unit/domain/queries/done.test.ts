import { TRACE_TTL_MS } from '../../../../shared/lifetimes'
import { beforeEach, expect, test } from 'vitest'
import { InvalidRequest } from '../../../../server/domain/errors'
import { countDone, listDone } from '../../../../server/domain/queries/listing'
import type { AuditLine, DecisionOutcome } from '../../../../server/ports/submission'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

let triage: Triage
beforeEach(async () => { triage = await openTriage({ revocableMs: { forward: 0, spam: 60_000 } }) })
async function endSubmission(action: 'forward' | 'spam' = 'forward'): Promise<string> {
  const id = await triage.post({ name: 'Ada' })
  triage.runtime.time += 1000
  await triage.settle(triage.decide({ id, action }))
  return id
}

/** Context with `count` newer audit lines, one per submission, all within one ms */
function withLines(count: number, outcome: DecisionOutcome) {
  const { time } = triage.runtime
  const newerLines = Array.from({ length: count }, (_, index): AuditLine => (
    { id: `above-${index}`, outcome, at: time - index / count, receivedAt: time - 1000, reviewer: null }
  ))
  const audit = async (limit: number, sinceAt = -Infinity) => (
    [...newerLines, ...await triage.store.audit(limit)].filter(({ at }) => at >= sinceAt).slice(0, limit)
  )
  return { ...triage, store: Object.assign(Object.create(triage.store) as typeof triage.store, { audit }) }
}

const idsOf = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id)

test('what is over is listed, the latest end first, page by page, by what became of it and without form data', async () => {
  const ids = [await endSubmission(), await endSubmission(), await endSubmission()]
  await triage.post({ name: 'waits' })
  const firstPage = inWords(await listDone({ limit: 2 }, triage))
  expect(firstPage).toMatchObject({ total: 3, scanned: 2, rows: [
    {
      id: ids[2], state: 'done', preview: [], erased: true,
      ending: expect.stringMatching(/^Forwarded by Ada on Slack/),
    }, { id: ids[1] },
  ] })
  const secondPage = await listDone({ limit: 2, before: firstPage.cursor! }, triage)
  expect([idsOf(secondPage), secondPage.cursor]).toEqual([[ids[0]], null])
})

test('a page begins below the one above, whatever became of the row that ended that', async () => {
  const ids = [await endSubmission(), await endSubmission(), await endSubmission()]
  const { cursor } = await listDone({ limit: 2 }, triage)
  triage.runtime.time += 1000
  await triage.settle(triage.quarantine.decide('erase', ids[1]!, ADA))
  expect(idsOf(await listDone({ limit: 2, before: cursor! }, triage))).toEqual([ids[0]])
  for (const before of [ids[1]!, '', '-', 'x-y']) {
    await expect(listDone({ limit: 2, before }, triage)).rejects.toThrow(InvalidRequest)
  }
})

test('spam that can be taken back is not over, nor is what was taken back; it is when that time ends', async () => {
  const [id, keptId] = [await endSubmission('spam'), await endSubmission('spam')]
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
  triage.runtime.time += 1000
  await triage.settle(triage.decide({ id, action: 'reopen' }))
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
  await triage.sweepAfter(60_000)
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [{ id: keptId, state: 'done' }], total: 1 })
})

test('spam that can be taken back until its 7 days end is over then', async () => {
  const id = await triage.post({ name: 'Ada' })
  const { expiresAt } = (await triage.store.get(id))!
  triage.runtime.time = expiresAt - 1000
  await triage.settle(triage.decide({ id, action: 'spam' }))
  triage.runtime.time = expiresAt - 1
  expect((await listDone({ limit: 9 }, triage)).total).toBe(0)
  triage.runtime.time = expiresAt
  await triage.sweepAfter()
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [{ id }], total: 1 })
})

test('what ended in one millisecond is on one page each, whichever way the list goes', async () => {
  const ids = [await triage.post({}), await triage.post({}), await triage.post({})]
  for (const id of ids) await triage.decide({ id, action: 'forward' })
  await triage.runtime.drain()
  for (const sort of ['newest', 'oldest'] as const) {
    const listedIds: string[] = []
    for (let before: string | undefined; ;) {
      const page = await listDone({ limit: 1, sort, before }, triage)
      listedIds.push(...idsOf(page))
      if (page.cursor === null) break
      before = page.cursor
    }
    expect(listedIds).toEqual(sort === 'oldest' ? ids : ids.toReversed())
  }
})

test('a trace is listed as long as it is kept, and found by the beginning of its id', async () => {
  const [id] = [await endSubmission(), await endSubmission()]
  expect(await listDone({ limit: 9, q: id }, triage)).toMatchObject({ rows: [{ id }], total: 2 })
  triage.runtime.time += TRACE_TTL_MS
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
})

test('what ended before a thousand other lines of the audit trail is listed, and counted in the list', async () => {
  const ids = [await endSubmission(), await endSubmission()]
  for (const sort of ['newest', 'oldest'] as const) {
    const page = await listDone({ limit: 9, sort }, withLines(1500, 'revoked'))
    expect([idsOf(page), page.total, page.cursor]).toEqual([sort === 'oldest' ? ids : ids.toReversed(), 2, null])
  }
  expect((await listDone({ limit: 9 }, withLines(4500, 'forwarded'))).total).toBe(4502)
})

test('what the audit trail does not tell in a thousand lines is not counted beside the list', async () => {
  await endSubmission()
  expect(await countDone(withLines(998, 'revoked'))).toBe(1)
  for (const outcome of ['revoked', 'forwarded'] as const) {
    expect(await countDone(withLines(1000, outcome))).toBeNull()
  }
  // Submissions older than all traces do not count as missing.
  const oldContext = withLines(1000, 'forwarded')
  triage.runtime.time += TRACE_TTL_MS + 1
  expect(await countDone(oldContext)).toBe(0)
})

test('a search among what is done ends with its time, and goes on from there', async () => {
  const ids = [await endSubmission(), await endSubmission(), await endSubmission(), await endSubmission()]
  const slowContext = { ...triage, store: Object.assign(Object.create(triage.store) as typeof triage.store, {
    get: (id: string) => {
      triage.runtime.time += 60
      return triage.store.get(id)
    },
  }) }
  const firstPage = await listDone({ limit: 1, q: ids[0] }, slowContext)
  expect(firstPage).toMatchObject({ rows: [], total: 4, scanned: 2, cursor: expect.any(String) })
  expect(idsOf(await listDone({ limit: 1, q: ids[0], before: firstPage.cursor! }, slowContext))).toEqual([ids[0]])
})
