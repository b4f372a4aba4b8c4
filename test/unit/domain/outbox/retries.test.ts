import { beforeEach, describe, expect, test } from 'vitest'
import { Retries } from '../../../../server/domain/outbox/retries'
import { failing } from '../../../fakes/board'
import { ADA, LEASE_MS, openTriage, submissionsIn, type Triage } from '../../../fakes/triage'

const BASE_MS = 5000
const DOWN = failing('No connection.')
const REFUSED = failing('Refused.', { permanent: true })
/** Time after which the pauses between retries are longer than a lease, ms */
const LATER_MS = 20 * 60_000

let triage: Triage
let retries: Retries
beforeEach(async () => {
  triage = await openTriage({ platforms: ['slack', 'discord'] })
  retries = new Retries(triage, triage.outbox, submissionsIn(triage), triage.sweep)
})
/** Posts forms whose cards keep failing in both rooms. Resolves with the id of the last form. */
async function waitingForCards(...names: string[]): Promise<string> {
  const { board } = triage
  board.posts.push(...Array.from({ length: 12 * names.length }, () => DOWN))
  let id = ''
  for (const name of names) id = await triage.post({ name })
  for (let tries = 0; tries < 5; tries++) {
    await triage.sweepAfter(LATER_MS)
  }
  board.posts.length = 0
  expect(board.shown.size).toBe(0)
  return id
}

/** Forwards a submission whose email fails for good. */
async function givenUp(name: string): Promise<string> {
  const id = await triage.post({ name })
  triage.mailer.answers.push(REFUSED)
  await triage.forward(id)
  return id
}

const tryAll = async (part: string) => {
  const result = await triage.settle(retries.tryAll({ part }, ADA))
  return result
}

describe('the first success after an outage', () => {
  test('pulls forward what waits for that platform alone', async () => {
    await waitingForCards('Ada')
    retries.recovered('slack', triage.runtime.now() - 60_000)
    await triage.runtime.drain()
    expect([...triage.board.shown.keys()].map(id => id.split('-')[0])).toEqual(['slack'])
  })

  test.each(['slack/C9', 'slack:edits', 'slack:credentials'])('counts for its platform, as %s', async (note) => {
    await waitingForCards('Ada')
    retries.recovered(note, triage.runtime.now() - 60_000)
    await triage.runtime.drain()
    expect(triage.board.shown.size).toBe(1)
  })

  test('pulls nothing after less than half a minute, nor what a vendor asks to wait for', async () => {
    await waitingForCards('Ada')
    retries.recovered('slack', triage.runtime.now() - 5 * BASE_MS)
    await triage.runtime.drain()
    expect(triage.board.shown.size).toBe(0)
    triage.mailer.answers.push({
      ok: false, permanent: false, reason: 'Too many.', limited: true, retryAfterMs: 10 * 60_000,
    })
    const id = await triage.post({ name: 'Grace' })
    await triage.settle(triage.decide({ id, action: 'forward' }))
    expect(triage.mailer.calls).toHaveLength(1)
    retries.recovered('email', triage.runtime.now() - 60_000)
    await triage.runtime.drain()
    expect(triage.mailer.calls).toHaveLength(1)
    // Refused, because only other work of the submission may start early.
    expect(await triage.outbox.apply(id, [{ type: 'pulled', vendor: 'email' }])).toEqual({ refused: 'not-due' })
  })

  test('leaves alone what somebody may be doing, and counts no attempt', async () => {
    const id = await waitingForCards('Ada')
    const { store, outbox, runtime } = triage
    const postOf = async () => (await store.get(id))!.work.find(({ room }) => room === 'slack')!
    const post = await postOf()
    await outbox.apply(id, [{ type: 'pulled', vendor: 'slack' }])
    expect(await postOf()).toMatchObject({ attempts: post.attempts - 1, dueAt: runtime.now() })
    const lease = await outbox.apply(id, [{ type: 'leased', keys: [post.key] }])
    expect(lease).toHaveProperty('submission')
    expect(await outbox.apply(id, [{ type: 'pulled', vendor: 'slack' }])).toEqual({ refused: 'not-due' })
    expect((await postOf()).dueAt).toBe(runtime.now() + LEASE_MS)
  })
})

describe('trying all again', () => {
  test('posts what waits for a platform, once, and says of how many submissions', async () => {
    await waitingForCards('Ada', 'Grace')
    expect(await tryAll('slack')).toEqual({ tried: 2, left: 0, reason: null })
    expect(triage.board.shown.size).toBe(2)
    expect(await tryAll('slack')).toEqual({ tried: 0, left: 0, reason: null })
    expect(triage.board.shown.size).toBe(2)
  })

  test('sends emails again that were given up, each once, and nothing twice that went out', async () => {
    const ids = [await givenUp('Ada'), await givenUp('Grace')]
    expect(await tryAll('email')).toEqual({ tried: 2, left: 0, reason: null })
    expect([triage.mailer.calls.length, triage.endpoint.calls.length]).toEqual([4, 2])
    for (const id of ids) expect((await triage.store.get(id))!.state).toBe('settled')
    expect((await tryAll('endpoint')).tried).toBe(0)
  })

  test('posts cards that were refused for what they say', async () => {
    const { board, store } = triage
    board.posts.push(...Array.from({ length: 2 }, () => ({ ...REFUSED, content: true })))
    const id = await triage.post({ name: 'Ada' })
    expect((await store.get(id))!.work.map(({ refused }) => refused)).toEqual([true, true])
    expect(await tryAll('discord')).toMatchObject({ tried: 1 })
    expect(board.shown.size).toBeGreaterThan(0)
  })

  test('leaves to their reviewers what is theirs, and says why', async () => {
    await givenUp('Ada')
    Object.assign(triage.forms.of(undefined), { reviewers: ['slack:U9'] })
    const { tried, left, reason } = await tryAll('email')
    expect([tried, left]).toEqual([0, 1])
    expect(reason).toContain('Only those who are listed')
    expect(triage.mailer.calls).toHaveLength(1)
  })

  test('is refused for what nothing is sent to', async () => {
    await expect(tryAll('store')).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })
})
