import { beforeEach, describe, expect, test } from 'vitest'
import { SqliteApprovals } from '../../../../server/adapters/sqlite/approvals'
import { Approvals, type Presser } from '../../../../server/domain/conversation/approvals'
import type { ProposedCall, WaitingTurn } from '../../../../server/ports/approvals'
import type { Person } from '../../../../server/ports/submission'
import { testContext } from '../../../fakes/context'
import { FakeRuntime } from '../../../fakes/runtime'
import { only } from '../../../fakes/only'
import type { Monitor } from '../../../../server/ports/monitor'
import { memoryDatabase } from '../../../support/sqlite'

const ADA = { id: 'U1', name: 'Ada', platform: 'Slack', person: 'ada' }
const OTHER = { ...ADA, person: undefined }
const TTL_MS = 60_000
const LEASE_MS = 10_000
const call = (toolCallId: string) => ({ approvalId: `a-${toolCallId}`, toolCallId, title: 'Write', details: [] })

let runtime: FakeRuntime
let approvals: Approvals
let turn: WaitingTurn
let misplacedPlatforms: string[]
/** Changed card contents for questions that are shown again, by call id */
let present: Record<string, Partial<ProposedCall>>
/** Id of a person who may not decide the call's submission, and the recorded arguments of each check */
let access: { id?: string, asked: unknown[] }

/** Person who clicks a button in the room of the question. */
const presserOf = (person: Person, names = [`${person.platform.toLowerCase()}:${person.id}`]): Presser => ({
  ...person, names, place: ['slack/C1', 'slack'],
})

beforeEach(async () => {
  runtime = new FakeRuntime()
  misplacedPlatforms = []
  present = {}
  access = { asked: [] }
  approvals = new Approvals(testContext({
    runtime,
    monitor: only<Monitor>({ misplaced: platform => void misplacedPlatforms.push(platform), incident: () => {} }),
  }), new SqliteApprovals(memoryDatabase(runtime.now)), {
    approvers: ['slack:U2', 'discord:U2', 'slack:T9:U4'],
    present: async ({ calls }) => calls.map(each => ({ ...each, ...present[each.toolCallId] })),
    placeOf: () => ['slack/C1'], ttlMs: TTL_MS, leaseMs: LEASE_MS,
    refusal: async (submission, { id }, place) => {
      access.asked.push([submission, id, place])
      return id === access.id ? { message: ['Only Grace may decide this.'] } : null
    },
  })
  turn = await approvals.request({
    threadId: 'slack:C1:1', place: ['slack/C1', 'slack'], asker: ADA, calls: [call('one'), call('two')], state: '[]',
  })
})

test.each([
  ['the asker', presserOf(ADA), true],
  ['an approver', presserOf({ ...OTHER, id: 'U2' }), true],
  ['an approver on a second platform', presserOf({ ...OTHER, id: 'U2', platform: 'Discord' }), true],
  ['an approver of another workspace', presserOf({ ...OTHER, id: 'U4' }, ['slack:T9:U4']), true],
  ['the asker by another platform', presserOf({ ...ADA, id: '7', platform: 'Discord', person: 'ada' }), true],
  ['another person', presserOf({ ...ADA, id: '8', platform: 'Discord', person: 'grace' }), false],
  ['somebody else', presserOf({ ...OTHER, id: 'U3' }), false],
  ['somebody with an approver\'s id on another platform', presserOf({ ...OTHER, id: 'U2', platform: 'Teams' }), false],
  ['somebody with an approver\'s id in another workspace', presserOf({ ...OTHER, id: 'U2' }, ['slack:T9:U2']), false],
  ['somebody with the asker\'s id on another platform', presserOf({ ...OTHER, id: 'U1', platform: 'Discord' }), false],
])('%s may decide: %o', async (_, person, isAllowed) => {
  const result = await approvals.decide(turn.id, 0, true, person)
  expect('refused' in result ? result.refused : 'decided').toBe(isAllowed ? 'decided' : 'not-allowed')
})

test('of two whom nobody knows by name, one is not the other', async () => {
  const { id } = await approvals.request({ ...turn, asker: OTHER })
  const presser = presserOf({ ...OTHER, id: 'U3' })
  expect(await approvals.decide(id, 0, true, presser)).toMatchObject({ refused: 'not-allowed' })
  expect(await approvals.decide(id, 0, true, presserOf(OTHER))).toMatchObject({ verdict: { approved: true } })
})

test('a call about a submission is approved by those alone who may decide that one, and denied by every approver', async () => {
  const { id } = await approvals.request({ ...turn, calls: [{ ...call('one'), submission: 's1' }] })
  access.id = 'U2'
  const approver = presserOf({ ...OTHER, id: 'U2' })
  expect(await approvals.decide(id, 0, true, approver)).toMatchObject({
    refused: 'not-allowed', message: 'Only Grace may decide this.',
  })
  expect(access.asked).toEqual([['s1', 'U2', approver.place]])
  expect(await approvals.decide(id, 0, false, approver)).toMatchObject({ verdict: { approved: false } })
})

test('a question does not exist elsewhere, which is counted; a turn that does not say where it was asked is told by its thread', async () => {
  const presser = { ...presserOf(ADA), place: ['slack/D1'] }
  expect(await approvals.decide(turn.id, 0, true, presser)).toMatchObject({
    refused: 'gone', message: expect.stringContaining('asked in another conversation') as string, kept: null,
  })
  expect(misplacedPlatforms).toEqual(['slack'])
  const { id } = await approvals.request({ threadId: 'slack:C1:2', asker: ADA, calls: [call('old')], state: '[]' })
  expect(await approvals.decide(id, 0, true, presser)).toMatchObject({ refused: 'gone' })
  expect(await approvals.decide(id, 0, true, presserOf(ADA))).toMatchObject({ verdict: { approved: true } })
})

test('the last decision goes on with the turn, whatever was decided before', async () => {
  expect(await approvals.decide(turn.id, 1, false, presserOf(ADA))).toMatchObject({
    verdict: { approved: false }, resume: null,
  })
  expect(await approvals.decide(turn.id, 1, true, presserOf(ADA))).toMatchObject({
    refused: 'taken', message: 'Already decided: Denied by Ada on Slack.',
  })
  expect(await approvals.decide(turn.id, 0, true, presserOf(ADA))).toMatchObject({
    verdict: { approved: true }, resume: { verdicts: [{ approved: true }, { approved: false }] },
  })
})

describe('a call whose card shows what has changed since', () => {
  const name = (value: string) => ({ label: 'name', value, edited: false })
  const callAbout = (toolCallId: string) => (
    { ...call(toolCallId), submission: 's1', content: 'a', details: [name('Ada')] }
  )
  const requestTurn = (...calls: ProposedCall[]) => approvals.request({ ...turn, calls })

  test.each<[string, Partial<ProposedCall>]>([
    ['a field that it shows', { content: 'b', details: [name('Eve')] }],
    ['a field that it does not show', { content: 'b' }],
    ['another fact of the card', { details: [name('Ada'), { label: 'Replaces', value: 'A file', edited: false }] }],
  ])('is not approved, but asked about again: %s', async (_, changes) => {
    const { id } = await requestTurn(callAbout('one'))
    present.one = changes
    const result = await approvals.decide(id, 0, true, presserOf(ADA))
    expect(result).toMatchObject({
      outdated: { turn: { id }, verdicts: [{ approved: false, outdated: true }] },
      again: { turn: { calls: [{ toolCallId: 'one', ...changes }], state: '[]' }, verdicts: [null] },
    })
    expect(await approvals.decide(id, 0, true, presserOf(ADA))).toMatchObject({ refused: 'gone' })
    const { turn: newTurn } = (result as { again: { turn: WaitingTurn } }).again
    present = {}
    expect(await approvals.decide(newTurn.id, 0, true, presserOf(ADA))).toMatchObject({ resume: { turn: newTurn } })
  })

  test('is asked about again also when it was approved before, and another of its turn decides; that stands', async () => {
    const { id } = await requestTurn(callAbout('one'), callAbout('two'), callAbout('three'))
    await approvals.decide(id, 0, true, presserOf(ADA))
    present.one = { content: 'b' }
    const result = await approvals.decide(id, 1, false, presserOf(ADA)) as { again: { turn: WaitingTurn } }
    expect(result).toMatchObject({
      outdated: { verdicts: [{ outdated: true }, { approved: false, by: ADA }, { outdated: true }] },
      again: { verdicts: [null, { approved: false, by: ADA }, null] },
    })
    const { id: newId } = result.again.turn
    expect(await approvals.decide(newId, 1, true, presserOf(ADA))).toMatchObject({ refused: 'taken' })
    await approvals.decide(newId, 0, true, presserOf(ADA))
    expect(await approvals.decide(newId, 2, true, presserOf(ADA))).toMatchObject({
      resume: { verdicts: [{ approved: true }, { approved: false }, { approved: true }] },
    })
  })

  test('is asked about once, however many approve it at once, and may be denied as it is', async () => {
    const [{ id }, { id: otherId }] = [await requestTurn(callAbout('one')), await requestTurn(callAbout('one'))]
    present.one = { content: 'b' }
    const results = await Promise.all([1, 2, 3].map(() => approvals.decide(id, 0, true, presserOf(ADA))))
    expect(results.filter(result => 'again' in result)).toHaveLength(1)
    expect(results.filter(result => 'refused' in result)).toHaveLength(2)
    expect(await approvals.decide(otherId, 0, false, presserOf(ADA))).toMatchObject({ verdict: { approved: false } })
  })

  test('goes on when its submission cannot be decided any more: the tool tells what became of it', async () => {
    const { id } = await requestTurn(callAbout('one'))
    present.one = { content: undefined, details: [] }
    expect(await approvals.decide(id, 0, true, presserOf(ADA))).toMatchObject({ verdict: { approved: true } })
  })
})

test('what is not there cannot be decided', async () => {
  expect(await approvals.decide('nothing', 0, true, presserOf(ADA))).toMatchObject({ refused: 'gone' })
  expect(await approvals.decide(turn.id, 2, true, presserOf(ADA))).toMatchObject({ refused: 'gone' })
})

test('from its end on nobody can decide; the sweep takes it once, and leaves what was decided', async () => {
  await approvals.decide(turn.id, 0, true, presserOf(ADA))
  runtime.time += TTL_MS - 1
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  runtime.time += 1
  expect(await approvals.decide(turn.id, 1, true, presserOf(ADA))).toMatchObject({ refused: 'gone' })
  expect(await approvals.sweep()).toMatchObject({
    expired: [{ verdicts: [{ approved: true, by: ADA }, { approved: false, by: null }] }], abandoned: [],
  })
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
})

test('a turn that was taken and not finished is dropped, never handed out to be done again', async () => {
  await approvals.decide(turn.id, 0, true, presserOf(ADA))
  await approvals.decide(turn.id, 1, true, presserOf(ADA))
  runtime.time += LEASE_MS - 1
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  runtime.time += 1
  expect(await approvals.sweep()).toMatchObject({ expired: [], abandoned: [{ turn: { id: turn.id } }] })
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
  expect(await approvals.decide(turn.id, 0, true, presserOf(ADA))).toMatchObject({ refused: 'gone' })
})

test('a turn that was finished is heard of no more', async () => {
  await approvals.decide(turn.id, 0, true, presserOf(ADA))
  await approvals.decide(turn.id, 1, true, presserOf(ADA))
  await approvals.finish(turn.id)
  runtime.time += TTL_MS * 2
  expect(await approvals.sweep()).toEqual({ expired: [], abandoned: [] })
})

test('of a turn that somebody stops nothing is done, and nothing reads as approved; what was denied stays denied', async () => {
  const GRACE = { id: 'U9', name: 'Grace', platform: 'Slack' }
  const withdrawal = { approved: false, by: GRACE, stopped: true }
  await approvals.decide(turn.id, 0, true, presserOf(ADA))
  expect(await approvals.withdraw(turn.threadId, GRACE)).toMatchObject([{ verdicts: [withdrawal, withdrawal] }])
  turn = await approvals.request({ ...turn, calls: [call('one'), call('two')] })
  await approvals.decide(turn.id, 1, false, presserOf(ADA))
  expect(await approvals.withdraw(turn.threadId, GRACE)).toMatchObject([{ verdicts: [withdrawal, { by: ADA }] }])
})
