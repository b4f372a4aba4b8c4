import { expect, test } from 'vitest'
import { RoomInstallations } from '../../../../server/domain/operations/room-installations'
import { FakeBoard, failing } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'
import type { HealthBook } from '../../../../server/ports/monitor'
import type { CardQueue } from '../../../../server/domain/cards/card-queue'
import type { Installations } from '../../../../server/ports/installations'

const HERE = { channel: 'C1', within: 'T1' }

/** Room installations after the first installation in `learnedWorkspace`; records all effects. */
function openRooms(learnedWorkspace: string, outages = 0) {
  const [board, notes, waitsMs]: [FakeBoard, unknown[], number[]] = [new FakeBoard(), [], []]
  let remainingOutages = outages
  const answering = <T>(value: T) => async () => {
    if (remainingOutages-- > 0) throw new Error('The store is away.')
    return value
  }
  const note = (...facts: unknown[]) => void notes.push(facts)
  const rooms = new RoomInstallations(testContext({
    board,
    health: only<HealthBook>({
      note: async (part, _at, error) => {
        note('health', part, error)
        return null
      },
    }),
    runtime: only<Runtime>({ now: () => 0, wait: async ms => void waitsMs.push(ms) }),
  }), only<CardQueue>({
    wake: (rooms = []) => note('woken', ...rooms),
    closedRooms: {
      opened: async (room: string) => note('opened', room), shut: async (room: string) => note('shut', room),
    } as never,
  }), only<Installations>({
    learn: answering({ ...HERE, within: learnedWorkspace }), forget: answering(learnedWorkspace === HERE.within),
  }))
  return { board, heard: notes, waits: waitsMs, rooms }
}

test('a room whose app is added takes cards from then on', async () => {
  const { board, heard, rooms } = openRooms('T1')
  await rooms.installed('teams', 'app', HERE)
  expect(board.announcements).toEqual([{ platform: 'teams/C1', text: expect.stringContaining('arrive'), url: null }])
  expect(heard).toEqual([['health', 'teams', undefined], ['opened', 'teams'], ['woken', 'teams']])
})

test('where the app was added elsewhere first it is told so, and nothing changes there', async () => {
  const { board, heard, rooms } = openRooms('T2')
  await rooms.installed('teams', 'app', HERE)
  expect(board.announcements).toMatchObject([{ text: expect.stringContaining('added first') }])
  expect(heard).toEqual([])
})

test('a room whose app is removed is closed, but not where it was added second', async () => {
  const [first, second] = [openRooms('T1'), openRooms('T2')]
  await first.rooms.removed('teams', 'app', HERE)
  await second.rooms.removed('teams', 'app', HERE)
  expect([first.heard, second.heard]).toEqual([[['shut', 'teams']], []])
})

test('what a platform tells once is tried again while the store is away, and given up after 20 s', async () => {
  const [short, long] = [openRooms('T1', 3), openRooms('T1', 4)]
  await short.rooms.removed('teams', 'app', HERE)
  expect([short.heard, short.waits]).toEqual([[['shut', 'teams']], [1000, 4000, 15_000]])
  await expect(long.rooms.removed('teams', 'app', HERE)).rejects.toThrow('away')
})

test('a room that does not take the notice takes cards all the same, and its health says why', async () => {
  const { board, heard, rooms } = openRooms('T1')
  board.announce = async () => failing('Down.')
  await rooms.installed('teams', 'app', HERE)
  expect(heard).toEqual([['health', 'teams', 'Down.'], ['opened', 'teams'], ['woken', 'teams']])
})
