import { expect, test } from 'vitest'
import { Membership } from '../../../../server/domain/conversation/membership'
import type { Outcome } from '../../../../server/ports/delivery'
import type { Person } from '../../../../server/ports/submission'
import { FakeRuntime, silentLog } from '../../../fakes/runtime'
import { only } from '../../../fakes/only'
import type { ReviewBoard } from '../../../../server/ports/board'

/** Membership in rooms with these outcomes. */
function over(rooms: Record<string, Outcome<boolean>>) {
  const runtime = new FakeRuntime()
  const asked: string[] = []
  const hasMember = async (room: string) => {
    asked.push(room)
    return rooms[room]!
  }
  return { asked, runtime, rooms, membership: new Membership({
    board: only<ReviewBoard>({ hasMember }), rooms: Object.keys(rooms), runtime, log: silentLog,
  }) }
}

const who = (id: string, name = `slack:${id}`): Person => ({ id, name: 'Ada', platform: 'Slack', names: [name] })

const [yes, no, unknown]: Outcome<boolean>[] = [
  { ok: true, value: true }, { ok: true, value: false }, { ok: false, permanent: false, reason: 'away' },
]

test('is that of any room of the platform; the first that has somebody ends the search', async () => {
  const { membership, asked } = over({ 'slack': no!, 'slack/C2': yes!, 'slack/C3': no!, 'discord': yes! })
  expect(await membership.of('slack', who('U1'))).toBe(true)
  expect(asked).toEqual(['slack', 'slack/C2'])
  expect(await membership.of('telegram', who('1'))).toBe(false)
})

test('is believed for five minutes, each person\'s by itself', async () => {
  const { membership, asked, runtime, rooms } = over({ slack: no! })
  const found: boolean[] = []
  for (const id of ['U1', 'U1', 'U2']) found.push(await membership.of('slack', who(id)))
  expect(found).toEqual([false, false, false])
  expect(asked).toHaveLength(2)
  // A person of another workspace may have the same id.
  await membership.of('slack', who('U1', 'slack:T2:U1'))
  expect(asked).toHaveLength(3)
  rooms.slack = yes!
  runtime.time += 5 * 60_000
  expect(await membership.of('slack', who('U1'))).toBe(true)
})

test('that a platform does not tell is none, and is asked for again', async () => {
  const { membership, rooms } = over({ slack: unknown! })
  expect(await membership.of('slack', who('U1'))).toBe(false)
  rooms.slack = yes!
  expect(await membership.of('slack', who('U1'))).toBe(true)
})

test('is remembered of 1,000 people at most', async () => {
  const { membership, asked } = over({ slack: yes! })
  for (let user = 0; user <= 1000; user++) await membership.of('slack', who(`U${user}`))
  await membership.of('slack', who('U1000'))
  expect(asked).toHaveLength(1001)
  await membership.of('slack', who('U999'))
  expect(asked).toHaveLength(1002)
})
