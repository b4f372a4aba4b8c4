import { expect, test } from 'vitest'
import { createSqliteStorage } from '../../../../server/adapters/sqlite/storage'
import { createAlertBook } from '../../../../server/adapters/storage/alerts'
import { createHealthBook } from '../../../../server/adapters/storage/health'
import { openWays } from '../../../../server/domain/operations/alert-ways'
import { Alerts } from '../../../../server/domain/operations/alerts'
import { Storage } from '../../../../server/domain/operations/readiness'
import type { Outcome } from '../../../../server/ports/delivery'
import type { GatewayState, GatewayStatus } from '../../../../server/ports/monitor'
import type { SubmissionStore } from '../../../../server/ports/store'
import { failing, FakeBoard } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'
import { FakeMailer } from '../../../fakes/deliveries'
import { only } from '../../../fakes/only'
import { FakeRuntime } from '../../../fakes/runtime'
import { memoryDatabase } from '../../../support/sqlite'

const MINUTE = 60_000

/** Two replicas with one store, and doubles of all ways */
function openAlerts(waysSet = { room: true, to: true, webhook: true }) {
  const runtime = new FakeRuntime()
  const start = runtime.time
  const small = createSqliteStorage(memoryDatabase())
  const health = createHealthBook(small)
  const board = new FakeBoard()
  const mailer = new FakeMailer()
  const posted: { type: string, data: Record<string, unknown> }[] = []
  const answers: Outcome<{ status: number }>[] = []
  const gateway: { connectedSince: number | null } = { connectedSince: 1 }
  let isStoreDown = false
  const unlessDown = async <T>(value: T) => {
    if (isStoreDown) throw new Error('down')
    return value
  }
  const store = only<SubmissionStore>({
    check: () => unlessDown(null),
    backlog: () => unlessDown({ pending: 3, oldestAt: null, overdue: 0, overdueSince: null, stuck: 0 }),
  })
  const context = testContext({
    runtime, health, board, mailer, store,
    mail: { fromAddress: 'forms@example.com', fromName: 'Formbot', to: ['team@example.com'], carrier: 'Resend' },
  })
  const ways = openWays(context, {
    room: waysSet.room ? 'slack/C0ALERTS' : undefined, to: waysSet.to ? ['ops@example.com'] : undefined,
    webhook: waysSet.webhook
      ? {
          host: 'alerts.example.com', url: 'https://alerts.example.com',
          post: async (body) => {
            posted.push(JSON.parse(body) as typeof posted[number])
            return answers.shift() ?? { ok: true, value: { status: 200 } }
          },
        }
      : undefined,
  })
  const replicas = [1, 2].map(() => {
    const storage = new Storage(context, async () => [])
    const alerts = new Alerts(context, {
      book: createAlertBook(small), storage, ways, afterMs: 5 * MINUTE, limiter: { limit: 5, take: async () => 0 },
      gateways: async (): Promise<GatewayState[]> => [
        { platform: 'discord', label: 'Discord', status: only<GatewayStatus>({ refusal: null, ...gateway }) },
      ],
    })
    return { alerts, sweep: async () => {
      await storage.check()
      await alerts.tell()
    } }
  })
  /** Sweeps both replicas every 20 s until this minute. */
  const until = async (minute: number) => {
    while (runtime.time < start + minute * MINUTE) {
      runtime.time += 20_000
      await Promise.all(replicas.map(({ sweep }) => sweep()))
    }
  }
  return {
    runtime, health, board, mailer, posted, answers, gateway, until, replicas,
    setStoreDown: (isDown: boolean) => { isStoreDown = isDown },
    fail: (part: string, reason = `${part} answered 500.`) => health.note(part, runtime.time, reason),
    recover: (part: string) => health.note(part, runtime.time + 1),
    types: () => posted.map(({ type, data }) => [type, data.part]),
  }
}

test('a failure of 4 minutes is told to nobody', async () => {
  const { fail, recover, until, posted, board, mailer } = openAlerts()
  await fail('endpoint')
  await until(4)
  await recover('endpoint')
  await until(20)
  expect([posted, board.announcements, mailer.calls]).toEqual([[], [], []])
})

test('a failure of 5 minutes is told once on each way, over two replicas, and its end once, with its duration', async () => {
  const { fail, recover, until, posted, board, mailer, runtime } = openAlerts()
  const since = runtime.time
  await fail('endpoint', 'crm.example.com answered 500.')
  await until(8)
  expect(posted).toEqual([expect.objectContaining({ type: 'alert.failing', data: {
    part: 'endpoint', label: 'Endpoint', since: new Date(since).toISOString(), waiting: 3,
    reason: 'crm.example.com answered 500.', action: expect.stringContaining('Change what the reason names') as string,
    url: 'https://forms.example.com/status',
  } })])
  expect(board.announcements).toEqual([expect.objectContaining({
    platform: 'slack/C0ALERTS',
    text: expect.stringMatching(/^Endpoint does not take forwards\..*3 submissions wait/) as string,
  })])
  await recover('endpoint')
  await until(20)
  expect([posted.length, board.announcements.length, mailer.calls.length]).toEqual([2, 2, 2])
  expect(board.announcements[1]!.text).toBe('Endpoint works again, after 8 min.')
  expect(posted[1]).toMatchObject({ type: 'alert.working', data: { part: 'endpoint' } })
})

test('failing emails are told on the other ways only', async () => {
  const { fail, until, mailer, types, board } = openAlerts()
  await fail('email')
  await until(10)
  expect(mailer.calls).toEqual([])
  expect(types()).toEqual([['alert.failing', 'email']])
  expect(board.announcements[0]!.text).toMatch(/^Emails are not going out\./)
})

test('a way that refuses the message gets neither a second one nor the all-clear', async () => {
  const { fail, recover, until, answers, types, board } = openAlerts()
  answers.push(failing('alerts.example.com answered 500.') as never)
  await fail('endpoint')
  await until(10)
  await recover('endpoint')
  await until(20)
  expect(types()).toEqual([['alert.failing', 'endpoint']])
  expect(board.announcements).toHaveLength(2)
})

test('each way gets at most 4 messages an hour; a fifth waits until the hour is over', async () => {
  const { fail, recover, until, types } = openAlerts()
  for (const round of [0, 1, 2]) {
    await fail('endpoint')
    await until(round * 10 + 8)
    await recover('endpoint')
    await until(round * 10 + 10)
  }
  expect(types()).toHaveLength(4)
  await fail('endpoint')
  await until(62)
  expect(types()).toHaveLength(4)
  await until(68)
  expect(types()).toHaveLength(5)
})

test('a gateway without a connection is told after 5 minutes, and when it is back', async () => {
  const { gateway, until, types } = openAlerts()
  await until(1)
  gateway.connectedSince = null
  await until(5)
  expect(types()).toEqual([])
  await until(7)
  gateway.connectedSince = 1
  await until(8)
  expect(types()).toEqual([['alert.failing', 'gateway:discord'], ['alert.working', 'gateway:discord']])
})

test('a failing store is told by one replica, and so is its end', async () => {
  const { setStoreDown, until, types, posted } = openAlerts()
  await until(1)
  setStoreDown(true)
  await until(5)
  expect(types()).toEqual([])
  await until(12)
  expect(types()).toEqual([['alert.failing', 'store']])
  expect(posted[0]!.data).toMatchObject({ waiting: null, reason: 'The store (STORE_URL) does not answer.' })
  setStoreDown(false)
  await until(20)
  expect(types()).toEqual([['alert.failing', 'store'], ['alert.working', 'store']])
})

test('without a way nothing is read or sent', async () => {
  const { fail, until, posted, board, mailer } = openAlerts({ room: false, to: false, webhook: false })
  await fail('endpoint')
  await until(10)
  expect([posted, board.announcements, mailer.calls]).toEqual([[], [], []])
})

test('a test alert says for each way what happened', async () => {
  const { replicas, answers, board } = openAlerts()
  answers.push(failing('alerts.example.com answered 500.') as never)
  expect(await replicas[0]!.alerts.test()).toEqual({ ways: [
    { way: 'channel', reason: null }, { way: 'email', reason: null },
    { way: 'webhook', reason: 'alerts.example.com answered 500.' },
  ] })
  expect(board.announcements[0]!.text).toMatch(/^This is a test alert/)
})
