import { afterAll, describe, expect, it } from 'vitest'
import { isOver } from '../../server/domain/lifecycle/record'
import type { CardQueueStore } from '../../server/ports/card-queue'
import type { SubmissionStore } from '../../server/ports/store'
import { blockText } from './block-kit'
import { CRASH_POINTS, restart, taken, type CrashPoint } from './crash-points'
import { cardNow, click, idOf, openEdit, sendForm, submit, type Deployment } from './deployment'
import { blockActions, interact, viewSubmission, type Block, type SlackMessage } from './slack'
import { until } from './until'

/** Delays between reaching a point and the kill, ms. Usually each point uses one of them; with `EXPLORE`, all. */
const LATE_MS = [0, 3, 25]

/** Environment of a site: short leases, so that work of the dead process is soon done. */
export const SITE_ENV = { LEASE_MS: '4000', SWEEP_INTERVAL_MS: '250', RETRY_BASE_MS: '50' }

/** Deployment in which one crash point at a time is tested */
export interface Site {
  d: Deployment
  /** Reads the store directly, also while no server runs. */
  store: Pick<SubmissionStore, 'get' | 'listPending' | 'audit'>
  queue: Pick<CardQueueStore, 'length'>
  /** Kills the server at the point, once; resolves when it is dead and all faults are removed. */
  arm: (point: CrashPoint, lateMs: number) => Promise<void>
  close: () => Promise<void>
}

/**
 * Kills a server at each crash point, and starts it again: nothing is lost, and nothing happens twice.
 *
 * @param open opens a deployment with its faults; it is closed after the tests
 */
export function crashSuite(open: () => Promise<Site>): void {
  /** One site for each crash point tested at the same time */
  const sites: Site[] = []
  const idle: Site[] = []

  async function openSite(): Promise<Site> {
    const site = await open()
    sites.push(site)
    // From here on, a store in Redis has loaded every script, so running a script takes exactly one command.
    await until('a form accepted', async () => (await sendForm(site.d.server, { name: 'first' })).status === 200)
    const { id, card } = await submit(site.d, { name: 'warm-up' })
    await click(site.d, card, 'forward', id)
    return site
  }

  async function atSite(act: (site: Site) => Promise<void>): Promise<void> {
    const site = idle.pop() ?? await openSite()
    await act(site)
    // Reuse the site only after success: leftovers of a failed point would make the next point fail too.
    idle.push(site)
  }

  // The time limit only catches hangs: each test waits for a lease to end, while others run.
  describe('SIGKILL, then a restart, loses nothing and repeats nothing', { concurrent: true, timeout: 600_000 }, () => {
    it.each(CRASH_POINTS)('$name', point => atSite(async (site) => {
      const turn = CRASH_POINTS.indexOf(point) % LATE_MS.length
      for (const lateMs of process.env.EXPLORE ? LATE_MS : [LATE_MS[turn]!]) {
        await (point.flow === 'intake' ? intake : decision)(site, point, lateMs)
      }
    }))
  })

  afterAll(() => Promise.all(sites.map(async (site) => {
    await site.close()
    await site.d.close()
  })))
}

async function intake(site: Site, point: CrashPoint, lateMs: number): Promise<void> {
  const { d, store, queue } = site
  const form = { name: 'Ada', round: `${point.name} ${lateMs}` }
  const dead = site.arm(point, lateMs)
  const [answer] = await Promise.all([taken(() => sendForm(d.server, form)), dead])
  const told = answer && await idOf(answer)
  const found = async () => (
    (await store.listPending({ limit: 100 })).submissions.filter(({ data }) => data?.round === form.round)
  )
  expect(await found()).toHaveLength(point.written ? 1 : 0)
  if (told) expect((await found()).map(({ id }) => id)).toEqual([told])

  await restart(d)
  if (!point.written) await sendForm(d.server, form)
  const [open] = await found()
  const id = open!.id
  await until('the card, and nobody in the queue', async () => (await cardsOf(site, id)).length > 0
    && await queue.length('slack') === 0)
  // A card of the dead process can be there already: wait until one is recorded.
  if (point.unknownCard !== 'clicked') await until('no work', async () => (await store.get(id))?.work.length === 0)
  await d.server.drain()
  const cards = await cardsOf(site, id)
  expect(cards.length).toBeLessThanOrEqual(point.unknownCard ? 2 : 1)
  expect(cards.length).toBeGreaterThanOrEqual(point.unknownCard === 'followed' ? 2 : 1)

  // The submission can be decided from any of its cards, even an unrecorded one, and is decided only once.
  for (const card of cards.reverse()) await click(d, card, 'forward', id)
  await settled(site, { id, cards, data: form, outcome: 'forwarded', endpointCalls: 1 })
}

async function decision(site: Site, point: CrashPoint, lateMs: number): Promise<void> {
  const { d, store } = site
  const form = { name: 'Ada', round: `${point.name} ${lateMs}` }
  const { id, card } = await submit(d, form)
  await d.server.drain()
  const view = point.flow === 'edit' ? await openEdit(d, card, id) : null
  const trigger = point.flow === 'open-edit' ? await d.slack.trigger() : undefined

  const dead = site.arm(point, lateMs)
  const act = point.flow === 'open-edit' ? 'edit' : point.flow
  const payload = view
    ? viewSubmission(view, { f0: 'Grace' }, d.slack.reviewer)
    : blockActions(card, act, id, d.slack.reviewer, trigger)
  await Promise.all([taken(() => interact(d.server.url, payload)), dead])
  if (!point.written) expect((await store.get(id))?.state).toBe('open')

  await restart(d)
  // The reviewer saw no effect and repeats the action.
  if (!point.written) await decide(site, point, { id, card, view: view ?? undefined })
  const outcome = point.flow === 'spam' ? 'spam' : point.flow.endsWith('edit') ? 'edited' : 'forwarded'
  await settled(site, {
    id, cards: [card], data: point.flow.endsWith('edit') ? { ...form, name: 'Grace' } : form, outcome,
    endpointCalls: point.written ? 2 : 1,
  })
}

async function decide(
  { d }: Site, { flow }: CrashPoint, { id, card, view }: { id: string, card: SlackMessage, view?: Block },
): Promise<void> {
  // The form that the dead process opened still works.
  const payload = flow === 'forward' || flow === 'spam'
    ? blockActions(card, flow, id, d.slack.reviewer)
    : viewSubmission(view ?? d.slack.calls('views.open').at(-1)!.view as Block, { f0: 'Grace' }, d.slack.reviewer)
  await taken(() => interact(d.server.url, payload))
  await d.server.drain()
}

interface Expected {
  id: string
  /** Cards that the service has recorded */
  cards: SlackMessage[]
  data: object
  outcome: 'forwarded' | 'edited' | 'spam'
  /** Maximum number of calls of the endpoint with one key */
  endpointCalls: number
}

/** Waits until no work is left, and compares the effects at the vendors with the decision. */
async function settled({ d, store }: Site, { id, cards, data, outcome, endpointCalls }: Expected): Promise<void> {
  await until(`only the trace of ${id}`, async () => isOver((await store.get(id))!))
  await d.server.drain()
  expect((await store.audit(1000)).filter(line => line.id === id)).toEqual([expect.objectContaining({ outcome })])

  const emails = (await d.resend.emails()).filter(({ html }) => html.includes(id))
  expect(emails).toHaveLength(outcome === 'spam' ? 0 : 1)
  const calls = d.endpoint.requests.filter(({ headers, status }) => String(headers['webhook-id']).startsWith(id)
    && status === 200)
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(emails.length)
  expect(calls.length).toBeLessThanOrEqual(endpointCalls)
  for (const { body } of calls) expect(JSON.parse(body)).toEqual(data)

  const updates = d.slack.requests.filter(({ path, status }) => path === '/api/chat.update' && status === 200)
  for (const card of cards) {
    const { ts, blocks } = await cardNow(d, card)
    // Cards first show a slow delivery as on its way. Neither of the two states is shown more than twice.
    const said = updates.filter(({ body }) => body.includes(ts)).map(({ body }) => body.includes('Being sent to '))
    for (const onItsWay of [true, false]) expect(said.filter(each => each === onItsWay).length).toBeLessThanOrEqual(2)
    expect(blocks.some(({ type }) => type === 'actions')).toBe(false)
    expect(blockText(blocks)).toContain(
      outcome === 'spam' ? 'Marked as spam by' : outcome === 'edited' ? 'Edited and forwarded by' : 'Forwarded by',
    )
  }
}

/** Returns all cards of the channel with buttons for this submission. */
async function cardsOf({ d }: Site, id: string): Promise<SlackMessage[]> {
  return (await d.slack.messages()).filter(({ blocks }) => blocks.some(({ type, elements }) => type === 'actions'
    && elements[0].value === id))
}
