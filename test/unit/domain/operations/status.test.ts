import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../../server/domain/context'
import { Credentials } from '../../../../server/domain/operations/credentials'
import { createReadiness, Storage } from '../../../../server/domain/operations/readiness'
import { createMonitor } from '../../../../server/domain/operations/monitor'
import { readStatus } from '../../../../server/domain/operations/status'
import type { Work } from '../../../../server/ports/submission'
import type { Runtime, StoreClock } from '../../../../server/ports/runtime'
import { failing, ok } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { ADA, CLAIM_MS, openTriage, type Triage } from '../../../fakes/triage'
import { only } from '../../../fakes/only'

let triage: Triage

beforeEach(async () => { triage = await openTriage({ platforms: ['slack', 'discord'] }) })
const monitorAt = (now: () => number) => createMonitor({ ...triage, runtime: only<Runtime>({ now }) }, null)
const post = (room?: string): Work => ({ key: 'post', kind: 'post', attempts: 0, dueAt: 0, room })

/** Context with these parts: the store, Slack with an additional room, Discord, and email */
const contextWith = (members: Partial<Context>): Context => ({
  ...triage, mail: testContext().mail, forms: formsOf({ rooms: ['slack', 'slack/C9', 'discord'], endpoint: null }),
  ...members,
})

describe('readiness', () => {
  let clock: StoreClock
  let advice: () => Promise<readonly string[]>
  beforeEach(() => { advice = async () => [] })
  const readinessOf = (runtime: Runtime) => {
    const context = contextWith({ clock, runtime, monitor: monitorAt(runtime.now) })
    return createReadiness(context, new Storage(triage, () => advice()), new Credentials(context))
  }
  const openReadiness = (aheadMs = 0) => {
    clock = { ...triage.clock, aheadMs }
    return readinessOf(only<Runtime>({ now: triage.runtime.now, wait: () => new Promise(() => {}) }))
  }

  test('is given when the store answers and every platform takes us', async () => {
    expect(await openReadiness()()).toEqual({ ready: true, reasons: [], warnings: [] })
  })

  test('a platform that refuses us makes it unready, one that is away does not', async () => {
    triage.board.checks.set('slack', { ok: false, permanent: true, reason: 'Slack answered invalid_auth.' })
    triage.board.checks.set('discord', { ok: false, permanent: false, reason: 'Discord: no connection.' })
    expect(await openReadiness()()).toEqual({
      ready: false, reasons: ['Slack answered invalid_auth.'], warnings: ['Discord: no connection.'],
    })
    expect(await triage.health.read()).toMatchObject({
      'slack:credentials': { lastError: { reason: 'Slack answered invalid_auth.' } },
    })
  })

  test('good credentials clear no error of cards, of which it warns, as of emails that are refused', async () => {
    const monitor = monitorAt(triage.runtime.now)
    monitor.tried(post('slack'), failing('Slack answered channel_not_found.', { permanent: true }), 1)
    monitor.tried({ ...post(), kind: 'email' }, failing('Resend refused the API key (401).', { permanent: true }), 1)
    triage.runtime.time += 1000
    const warnings = ['Slack, cards: Slack answered channel_not_found.', 'Email: Resend refused the API key (401).']
    const checkReadiness = openReadiness()
    await checkReadiness()
    expect(await checkReadiness()).toEqual({ ready: true, reasons: [], warnings })
    triage.runtime.time += 1000
    monitor.tried({ ...post('slack'), kind: 'update' }, ok, 1)
    monitor.tried(post('slack/C9'), ok, 1)
    expect((await checkReadiness()).warnings).toEqual(warnings)
    for (const kind of ['post', 'email'] as const) monitor.tried({ ...post('slack'), kind }, ok, 1)
    monitor.probed('email', ok)
    expect((await checkReadiness()).warnings).toEqual([])
  })

  test('without the store nobody is ready', async () => {
    triage.outage.calls = 1
    expect(await openReadiness()()).toMatchObject({ ready: false, reasons: ['The store (STORE_URL) does not answer.'] })
  })

  test('what is to be changed about the store is a warning, and nothing while it does not tell', async () => {
    advice = async () => ['Redis throws submissions away.']
    expect(await openReadiness()()).toEqual({ ready: true, reasons: [], warnings: ['Redis throws submissions away.'] })
    advice = () => Promise.reject(new Error('ECONNREFUSED'))
    expect(await openReadiness()()).toEqual({ ready: true, reasons: [], warnings: [] })
  })

  test('a clock that is far off is a warning', async () => {
    expect((await openReadiness(-30_000)()).warnings).toEqual([])
    expect(await openReadiness(65_000)()).toMatchObject({
      ready: true, warnings: [expect.stringContaining('65 s ahead of the store\'s')],
    })
    expect((await openReadiness(-31_000)()).warnings).toEqual([expect.stringContaining('31 s behind the store\'s')])
  })

  test('platforms are asked every 30 seconds, however often a probe comes', async () => {
    const checkReadiness = openReadiness()
    for (let count = 0; count < 5; count++) await checkReadiness()
    expect(triage.board.checked).toBe(2)
    triage.runtime.time += 30_000
    await checkReadiness()
    expect(triage.board.checked).toBe(4)
  })

  test('a platform that does not answer at all holds up no probe', async () => {
    triage.board.checks.set('slack', new Promise(() => {}))
    const checkReadiness = readinessOf(triage.runtime)
    expect(await checkReadiness()).toMatchObject({
      ready: true, reasons: [], warnings: expect.arrayContaining(['Slack has not answered yet.']),
    })
  })
})

describe('the status', () => {
  let storage: Storage
  beforeEach(() => {
    storage = new Storage(triage, async () => ['Change it.'])
  })
  const status = (takes = false) => readStatus(
    contextWith({ claimMs: takes ? CLAIM_MS : null }), storage, only<Credentials>({ check: async () => [] }),
  )

  test('says what is to be changed about the store', async () => {
    expect((await status()).advice).toEqual(['Change it.'])
  })

  test('names what a person should look into, and when it was seen first and last', async () => {
    const now = triage.runtime.now()
    const monitor = monitorAt(() => now)
    for (let click = 0; click < 3; click++) monitor.incident('unknown-submission')
    expect((await status()).incidents).toEqual([
      { text: '3 clicks on submissions that are not in the store: was it emptied?', since: now, lastAt: now },
    ])
  })

  test('says who has how many, most first and one person once, and nothing where nobody takes', async () => {
    const claim = { claim: 'soft' } as const
    Object.assign(triage.forms.of(undefined), claim)
    const grace = { ...ADA, id: 'U2', name: 'Grace', names: ['slack:U2'] }
    for (const [person, name] of [['ada', 'Ada'], [undefined, 'Grace\u202E'], ['ada', 'Ada L.']] as const) {
      const id = await triage.post({ name })
      await triage.decide({ id, action: 'take', person: { ...grace, name, ...person && { person } } })
    }
    await triage.post({ name: 'free' })
    const ada = { name: expect.stringMatching(/^Ada/) as string, platform: 'Slack', count: 2 }
    const counts = [ada, { name: 'Grace⟨U+202E⟩', platform: 'Slack', count: 1 }]
    expect([(await status(true)).holders, (await status()).holders]).toEqual([counts, null])
    await triage.runtime.drain()
  })

  test('says what failed and what waits at each destination, with the last answer', async () => {
    const refused = { ok: false as const, reason: 'It answered.', status: 400 }
    for (const [permanent, answer] of [[true, 'never'], [false, 'later']] as const) {
      triage.mailer.answers.push({ ...refused, permanent, answer })
      await triage.forward(await triage.post({ name: 'Ada' }))
      triage.runtime.time += 1000
    }
    const { parts } = await status()
    expect(parts.flatMap(({ key, queue }) => queue ? [[key, queue]] : [])).toEqual([
      ['email', { failed: 1, waiting: 1, isMore: false, answer: 'later' }],
    ])
  })

  test('a room beside its platform\'s own is a part of its own while it fails', async () => {
    let now = 0
    const parts = async () => (await status()).parts.filter(({ key }) => key.startsWith('slack'))
    const loggedLines: unknown[] = []
    const log = { ...triage.log, info: (...line: unknown[]) => void loggedLines.push(line) }
    const monitor = createMonitor({ ...triage, runtime: only<Runtime>({ now: () => ++now }), log }, null)
    const postAttempt = post('slack/C9')
    monitor.tried(postAttempt, failing('The channel is archived.', { permanent: true }), 1)
    expect(await parts()).toMatchObject([
      { key: 'slack', state: 'unused' },
      { key: 'slack/C9', label: 'Slack: C9', state: 'failing', lastError: { reason: 'The channel is archived.' } },
    ])
    monitor.tried(postAttempt, ok, 1)
    expect(await parts()).toMatchObject([{ key: 'slack', state: 'unused' }])
    monitor.tried(postAttempt, ok, 1)
    expect(loggedLines).toEqual([['part.works-again', { part: 'slack/C9' }]])
  })

  test('a rate limit is no failure, and over when its pause is', async () => {
    const [now, limitedUntil] = [triage.runtime.now(), triage.runtime.now() + 30_000]
    const limitedOutcome = { ...failing('Slack: HTTP 429.', { retryAfterMs: 30_000 }), limited: true }
    monitorAt(() => now).tried(post('slack'), limitedOutcome, 1)
    const slack = async () => (await status()).parts.find(({ key }) => key === 'slack')
    expect(await slack()).toMatchObject({ state: 'limited', facts: [{ about: 'Cards', limitedUntil }, {}, {}] })
    triage.runtime.time += 30_000
    expect(await slack()).toMatchObject({ state: 'unused' })
  })

  test('a card that somebody deleted says nothing against its platform', async () => {
    const monitor = monitorAt(triage.runtime.now)
    monitor.tried({ ...post('slack'), kind: 'update' }, failing('It was deleted.', { gone: true }), 1)
    expect(await triage.health.read()).toEqual({})
  })

  test('a confirmation counts for the emails, and the word of an erasure for the endpoint', async () => {
    const monitor = monitorAt(() => 1)
    for (const kind of ['confirm', 'erasure'] as const) {
      monitor.tried({ key: kind, kind, attempts: 0, dueAt: 0 }, failing(`No ${kind}.`), 1)
    }
    const notes = Object.entries(await triage.health.read())
    expect(notes.map(([part, { lastError }]) => [part, lastError?.reason])).toEqual([
      ['email', 'No confirm.'], ['endpoint', 'No erasure.'],
    ])
  })

  test('a part fails when its last error is newer than its last success', async () => {
    void triage.health.note('slack', 2)
    void triage.health.note('slack', 1, 'old')
    void triage.health.note('email', 1)
    void triage.health.note('email', 2, 'new')
    const { parts } = await status()
    expect(parts.map(({ key, state }) => [key, state])).toEqual([
      ['store', 'ok'], ['slack', 'ok'], ['discord', 'unused'], ['email', 'failing'],
    ])
  })

  test('without the store says since when forms are refused, and of the rest that it is not known', async () => {
    const since = triage.runtime.now()
    triage.outage.calls = 10
    await storage.check()
    triage.runtime.time += 60_000
    triage.health.read = () => Promise.reject(new Error('away'))
    expect(await status()).toMatchObject({
      refusingSince: since, backlog: null, tally: null, audit: null,
      parts: [
        { key: 'store', state: 'failing' }, { key: 'slack', state: 'unknown' }, { key: 'discord', state: 'unknown' },
        { key: 'email', state: 'unknown' },
      ],
    })
    triage.outage.calls = 0
    expect(await status()).toMatchObject({ refusingSince: null, parts: [{ key: 'store', state: 'ok' }, {}, {}, {}] })
  })
})
