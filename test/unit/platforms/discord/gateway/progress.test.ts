import { expect, test } from 'vitest'
import { Progress } from '../../../../../server/platforms/discord/gateway/progress'

const session = { sessionId: 's1', resumeURL: 'ws://resume' }
const nextSession = { sessionId: 's2', resumeURL: 'ws://resume' }

function startProgress(sequence = 1) {
  const progress = new Progress(null)
  progress.begin(session, sequence)
  return progress
}

test('the sequence below which everything was delivered is acknowledged, whatever the order of delivery', () => {
  const progress = startProgress()
  for (const sequence of [2, 3, 4, 5]) expect(progress.take(sequence)).toBe(true)
  const [releaseThird, releaseFourth] = [progress.hold(3), progress.hold(4)]
  expect(progress.snapshot().sequence).toBe(2)
  releaseFourth()
  expect(progress.snapshot().sequence).toBe(2)
  releaseThird()
  expect(progress.snapshot().sequence).toBe(5)
})

test('a new session owes its guilds what came after the last delivered message, until each has been read', () => {
  const progress = startProgress()
  progress.noteMessage('100')
  const releaseLate = progress.hold(2)
  progress.begin(nextSession, 1)
  progress.owe(['g1', 'g2'])
  expect([progress.missingSince('g1'), progress.missingSince('g3')]).toEqual(['100', null])
  progress.noteMessage('200')
  progress.backfilled('g1')
  const successor = new Progress(progress.snapshot())
  expect([successor.missingSince('g1'), successor.missingSince('g2')]).toEqual([null, '100'])
  successor.backfilled('g2')
  expect(successor.snapshot().backfill).toBe(null)
  // A delivery of the old session does not affect the new one.
  progress.take(2)
  progress.hold(2)
  releaseLate()
  expect(progress.snapshot()).toMatchObject({ session: nextSession, sequence: 1 })
})

test.each([
  ['before everything was read back still starts where the first one ended', ['g1'], '100'],
  ['after one in which the bot was in no server starts where that one began', [], '200'],
])('a session that is lost again %s', (_, guilds, since) => {
  const progress = startProgress()
  progress.noteMessage('100')
  progress.begin(nextSession, 1)
  progress.owe(guilds)
  progress.noteMessage('200')
  progress.begin({ ...nextSession, sessionId: 's3' }, 1)
  progress.owe(['g1'])
  expect(progress.missingSince('g1')).toBe(since)
})

test('a new session is acknowledged from its own beginning', () => {
  const progress = new Progress({ session, sequence: 500, lastMessageId: null, backfill: null })
  expect(progress.savedSequence).toBe(500)
  progress.begin(nextSession, 1)
  expect(progress.savedSequence).toBe(1)
})

test('whatever a successor has to know is a change that is to be stored', () => {
  const progress = startProgress()
  progress.noteMessage('100')
  progress.begin(nextSession, 1)
  const release = progress.hold(2)
  const changes: (() => unknown)[] = [
    () => progress.owe(['g1']), () => progress.take(2), release, () => progress.backfilled('g1'),
    () => progress.begin(session, 1),
  ]
  for (const change of changes) {
    progress.changed = false
    change()
    expect(progress.changed).toBe(true)
  }
})
