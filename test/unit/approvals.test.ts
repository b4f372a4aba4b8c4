import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmbeddedApprovals } from '../../server/adapters/embedded/approvals'
import { Approvals } from '../../server/domain/conversation/approvals'
import type { WaitingTurn } from '../../server/ports/approvals'
import { FakeRuntime, silentLog } from '../fakes/runtime'

const ADA = { id: 'U1', name: 'Ada', platform: 'Slack' }
const TTL_MS = 60_000
const LEASE_MS = 10_000
const call = (toolCallId: string) => ({ approvalId: `a-${toolCallId}`, toolCallId, title: 'Write', details: [] })

let dir: string
let runtime: FakeRuntime
let approvals: Approvals
let turn: WaitingTurn

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'approvals-unit-'))
  runtime = new FakeRuntime()
  approvals = new Approvals({ store: new EmbeddedApprovals(dir, runtime.now), approvers: ['U2'], ttlMs: TTL_MS, leaseMs: LEASE_MS, runtime, log: silentLog })
  turn = await approvals.request({ threadId: 'slack:C1:1', asker: ADA, calls: [call('one'), call('two')], state: '[]' })
})
afterEach(() => rm(dir, { recursive: true }))

test.each([
  ['the asker', ADA, true],
  ['an approver, on any platform', { ...ADA, id: 'U2', platform: 'Discord' }, true],
  ['somebody else', { ...ADA, id: 'U3' }, false],
  ['somebody with the asker\'s id on another platform', { ...ADA, platform: 'Discord' }, false],
])('%s may decide: %o', async (_, by, allowed) => {
  const decided = await approvals.decide(turn.id, 0, true, by)
  expect('refused' in decided ? decided.refused : 'decided').toBe(allowed ? 'decided' : 'not-allowed')
})

test('the last decision goes on with the turn, whatever was decided before', async () => {
  expect(await approvals.decide(turn.id, 1, false, ADA)).toMatchObject({ verdict: { approved: false }, resume: null })
  expect(await approvals.decide(turn.id, 1, true, ADA)).toMatchObject({ refused: 'taken', message: 'Already decided: Denied by Ada on Slack.' })
  expect(await approvals.decide(turn.id, 0, true, ADA)).toMatchObject({ verdict: { approved: true }, resume: { verdicts: [{ approved: true }, { approved: false }] } })
})

test('what is not there cannot be decided', async () => {
  expect(await approvals.decide('nothing', 0, true, ADA)).toMatchObject({ refused: 'gone' })
  expect(await approvals.decide(turn.id, 2, true, ADA)).toMatchObject({ refused: 'gone' })
})

test('from its end on nobody can decide; the sweep takes it once, and leaves what was decided', async () => {
  await approvals.decide(turn.id, 0, true, ADA)
  runtime.time += TTL_MS - 1
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  runtime.time += 1
  expect(await approvals.decide(turn.id, 1, true, ADA)).toMatchObject({ refused: 'gone' })
  expect(await approvals.sweep()).toMatchObject({ expired: [{ verdicts: [{ approved: true, by: ADA }, { approved: false, by: null }] }], abandoned: [] })
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
})

test('a turn that was taken and not finished is dropped, never handed out to be done again', async () => {
  await approvals.decide(turn.id, 0, true, ADA)
  await approvals.decide(turn.id, 1, true, ADA)
  runtime.time += LEASE_MS - 1
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  runtime.time += 1
  expect(await approvals.sweep()).toMatchObject({ expired: [], abandoned: [{ turn: { id: turn.id } }] })
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  expect(await approvals.decide(turn.id, 0, true, ADA)).toMatchObject({ refused: 'gone' })
})

test('a turn that was finished is heard of no more', async () => {
  await approvals.decide(turn.id, 0, true, ADA)
  await approvals.decide(turn.id, 1, true, ADA)
  await approvals.finish(turn.id)
  runtime.time += TTL_MS * 2
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
})
