import { expect, test } from 'vitest'
import { Membership } from '../../../../server/domain/people/reviewers'
import type { Outcome } from '../../../../server/ports/delivery'
import type { Person } from '../../../../server/ports/submission'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { FakeRuntime } from '../../../fakes/runtime'
import { only } from '../../../fakes/only'
import type { ReviewBoard } from '../../../../server/ports/board'

/** Membership in rooms with these outcomes. */
function openMembership(rooms: Record<string, Outcome<boolean>>) {
  const runtime = new FakeRuntime()
  const askedRooms: string[] = []
  const hasMember = async (room: string) => {
    askedRooms.push(room)
    return rooms[room]!
  }
  return { asked: askedRooms, runtime, rooms, membership: new Membership(testContext({
    board: only<ReviewBoard>({ hasMember }), forms: formsOf({ rooms: Object.keys(rooms) }), runtime,
  })) }
}

const personOf = (id: string, name = `slack:${id}`): Person => ({ id, name: 'Ada', platform: 'Slack', names: [name] })

const [member, stranger, unknown]: Outcome<boolean>[] = [
  { ok: true, value: true }, { ok: true, value: false }, { ok: false, permanent: false, reason: 'away' },
]

test('is that of any room of the platform; the first that has somebody ends the search', async () => {
  const { membership, asked: askedRooms } = openMembership({
    'slack': stranger!, 'slack/C2': member!, 'slack/C3': stranger!, 'discord': member!,
  })
  expect(await membership.of('slack', personOf('U1'))).toBe(true)
  expect(askedRooms).toEqual(['slack', 'slack/C2'])
  expect(await membership.of('telegram', personOf('1'))).toBe(false)
})

test('is believed for five minutes, each person\'s by itself', async () => {
  const { membership, asked: askedRooms, runtime, rooms } = openMembership({ slack: stranger! })
  const memberships: boolean[] = []
  for (const id of ['U1', 'U1', 'U2']) memberships.push(await membership.of('slack', personOf(id)))
  expect(memberships).toEqual([false, false, false])
  expect(askedRooms).toHaveLength(2)
  // A person of another workspace may have the same id.
  await membership.of('slack', personOf('U1', 'slack:T2:U1'))
  expect(askedRooms).toHaveLength(3)
  rooms.slack = member!
  runtime.time += 5 * 60_000
  expect(await membership.of('slack', personOf('U1'))).toBe(true)
})

test('that a platform does not tell is none, and is asked for again', async () => {
  const { membership, rooms } = openMembership({ slack: unknown! })
  expect(await membership.of('slack', personOf('U1'))).toBe(false)
  rooms.slack = member!
  expect(await membership.of('slack', personOf('U1'))).toBe(true)
})

test('is remembered of 1,000 people at most', async () => {
  const { membership, asked: askedRooms } = openMembership({ slack: member! })
  for (let user = 0; user <= 1000; user++) await membership.of('slack', personOf(`U${user}`))
  await membership.of('slack', personOf('U1000'))
  expect(askedRooms).toHaveLength(1001)
  await membership.of('slack', personOf('U999'))
  expect(askedRooms).toHaveLength(1002)
})
