import { afterEach, beforeEach, expect, test } from 'vitest'
import { InvalidRequest } from '../../../../server/domain/errors'
import { listDone } from '../../../../server/domain/submission/done'
import { TRACE_TTL_MS } from '../../../../server/ports/store'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

let triage: Triage
beforeEach(async () => { triage = await openTriage({ revocableMs: { forward: 0, spam: 60_000 } }) })
afterEach(() => triage.close())

async function ended(action: 'forward' | 'spam' = 'forward'): Promise<string> {
  const id = await triage.post({ name: 'Ada' })
  triage.runtime.time += 1000
  await triage.review.decide(id, action, ADA)
  await triage.runtime.drain()
  return id
}

const idsOf = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id)

test('what is over is listed, the latest end first, page by page, by what became of it and without form data', async () => {
  const ids = [await ended(), await ended(), await ended()]
  await triage.post({ name: 'waits' })
  const first = inWords(await listDone({ limit: 2 }, triage))
  expect(first).toMatchObject({ total: 3, scanned: 2, rows: [
    {
      id: ids[2], state: 'done', preview: [], erased: true,
      ending: expect.stringMatching(/^Forwarded by Ada on Slack/),
    }, { id: ids[1] },
  ] })
  const second = await listDone({ limit: 2, before: first.cursor! }, triage)
  expect([idsOf(second), second.cursor]).toEqual([[ids[0]], null])
})

test('a page begins below the one above, whatever became of the row that ended that', async () => {
  const ids = [await ended(), await ended(), await ended()]
  const { cursor } = await listDone({ limit: 2 }, triage)
  triage.runtime.time += 1000
  await triage.quarantine.erase(ids[1]!, ADA)
  await triage.runtime.drain()
  expect(idsOf(await listDone({ limit: 2, before: cursor! }, triage))).toEqual([ids[0]])
  for (const before of [ids[1]!, '', '-', 'x-y']) {
    await expect(listDone({ limit: 2, before }, triage)).rejects.toThrow(InvalidRequest)
  }
})

test('spam that can be taken back is not over, nor is what was taken back', async () => {
  const id = await ended('spam')
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
  triage.runtime.time += 1000
  await triage.review.revoke(id, 'spam', ADA)
  await triage.runtime.drain()
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
})

test('spam is over when it cannot be taken back any more', async () => {
  const id = await ended('spam')
  triage.runtime.time += 60_000
  await triage.sweep()
  await triage.runtime.drain()
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [{ id, state: 'done' }], total: 1 })
})

test('a trace is listed as long as it is kept, and found by the beginning of its id', async () => {
  const [id] = [await ended(), await ended()]
  expect(await listDone({ limit: 9, q: id }, triage)).toMatchObject({ rows: [{ id }], total: 2 })
  triage.runtime.time += TRACE_TTL_MS
  expect(await listDone({ limit: 9 }, triage)).toMatchObject({ rows: [], total: 0 })
})
