import { beforeEach, expect, test } from 'vitest'
import { DeletedCards } from '../../../../server/domain/cards/deleted-cards'
import { isOver } from '../../../../server/domain/lifecycle/record'
import type { Outcome } from '../../../../server/ports/delivery'
import { failing, ok } from '../../../fakes/board'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'
import { only } from '../../../fakes/only'
import type { SubmissionStore } from '../../../../server/ports/store'

let triage: Triage
let reads: number
let deletedCards: DeletedCards
beforeEach(async () => {
  triage = await openTriage({ platforms: ['slack', 'discord'], form: { claim: 'soft' } })
  reads = 0
  deletedCards = new DeletedCards({ ...triage, store: only<SubmissionStore>({
    listRecords: (page) => {
      reads++
      return triage.store.listRecords(page)
    },
  }) }, triage.outbox)
})
const cardsOf = async (id: string) => (await triage.store.get(id))!.cards.map(({ messageId }) => messageId)
const eventsOf = async (id: string) => (await triage.store.get(id))!.history.map(({ event }) => event)

async function deleteCard(messageId: string, platform = 'slack', place = [platform]): Promise<void> {
  await triage.settle(deletedCards.deleted({ platform, threadId: `${platform}:room:${messageId}`, messageId }, place))
}

test('a card that somebody deletes is posted again in its room, says so, and is decided like the first', async () => {
  const id = await triage.post({ name: 'Lin' })
  await deleteCard('slack-1')
  expect(await cardsOf(id)).toEqual(['discord-2', 'slack-3'])
  expect(triage.board.shown.get('slack-3')!.notes.join()).toContain('An earlier card of it was deleted, ')
  await triage.forward(id)
  expect(triage.board.shown.get('slack-3')!.title).toBe('Form Submission forwarded')
})

test('a second deletion in that room is taken for an answer, one in another room is not', async () => {
  const id = await triage.post({ name: 'Lin' })
  await deleteCard('slack-1')
  await deleteCard('slack-3')
  expect(await cardsOf(id)).toEqual(['discord-2'])
  await deleteCard('discord-2', 'discord')
  expect(await cardsOf(id)).toEqual(['discord-4'])
  expect((await eventsOf(id)).filter(event => event === 'card-deleted')).toHaveLength(3)
})

test('nothing comes of other messages, of the same id elsewhere, and of what is decided', async () => {
  const id = await triage.post({ name: 'Lin' })
  await deleteCard('slack-9')
  await deleteCard('slack-1', 'slack', ['discord'])
  await deleteCard('slack-1', 'slack', ['somewhere'])
  await triage.forward(id)
  await deleteCard('slack-1')
  expect(await eventsOf(id)).not.toContain('card-deleted')
  expect(triage.board.history).toHaveLength(4)
})

test('a card that was shown on request is not missed while the first one is there', async () => {
  const id = await triage.post({ name: 'Lin' })
  const shownCard = { platform: 'slack', threadId: 'slack:room:shown', messageId: 'shown' }
  await triage.outbox.apply(id, [{ type: 'done', key: 'show:slack:shown', card: shownCard }])
  await deleteCard('shown')
  expect(await cardsOf(id)).toEqual(['slack-1', 'discord-2'])
  await deleteCard('slack-1')
  expect(await cardsOf(id)).toEqual(['discord-2', 'slack-3'])
})

const GONE = failing('Slack answered message_not_found.', { permanent: true, gone: true })

/** Runs the retry of the last failed edit. */
async function retryEdit(passedMs = 10 * 60_000) {
  await triage.sweepAfter(passedMs)
}

test('edits that meet no card any more find it deleted, too: six of them', async () => {
  const id = await triage.post({ name: 'Lin' })
  triage.board.updates.push(GONE, ok)
  await triage.settle(triage.decide({ id, action: 'take', person: { ...ADA, names: ['slack:U1'] } }))
  for (let tries = 1; tries < 6; tries++) {
    expect(await cardsOf(id)).toEqual(['slack-1', 'discord-2'])
    triage.board.updates.push(GONE)
    await retryEdit()
  }
  expect(await cardsOf(id)).toEqual(['discord-2', 'slack-3'])
  expect(triage.board.shown.get('slack-3')!.notes.join()).toContain('Ada has it')
})

/** Marks a submission with one card as spam. The attempts to edit the card have these outcomes, in order. */
async function markSpamWithEdits(...edits: Outcome[]) {
  triage = await openTriage()
  const id = await triage.post({ name: 'Lin' })
  triage.board.updates.push(...edits)
  await triage.settle(triage.decide({ id, action: 'spam' }))
  for (const _ of edits) await retryEdit(3_600_000)
  return id
}

test('a card that its platform does not find five times, and then does, follows', async () => {
  const id = await markSpamWithEdits(GONE, GONE, GONE, GONE, GONE)
  expect(triage.board.shown.get('slack-1')).toMatchObject({ title: 'Form Submission marked as spam', actions: [] })
  expect(await triage.store.get(id)).toSatisfy(isOver)
})

test('tries that another thing failed do not count as not found, and begin the count anew', async () => {
  const outage = failing('Slack is down.')
  await markSpamWithEdits(...Array.from({ length: 5 }, () => outage), GONE, GONE, GONE, GONE, GONE, outage, GONE)
  expect(triage.board.shown.get('slack-1')!.title).toBe('Form Submission marked as spam')
})

test('a card that is not found six times is left as it is, until somebody presses it', async () => {
  const id = await markSpamWithEdits(GONE, GONE, GONE, GONE, GONE, GONE)
  const { board, decide, store } = triage
  expect(await store.get(id)).toSatisfy(isOver)
  expect(board.history).toHaveLength(1)
  const [card] = (await store.get(id))!.cards
  for (const press of ['first', 'second']) {
    await triage.settle(decide({ id, action: 'forward', press: { card: card!, press } }))
    expect(board.history.map(({ title }) => title)).toEqual(['New Form Submission', 'Form Submission marked as spam'])
  }
  expect(await store.get(id)).toSatisfy(isOver)
})

test('a press on a card that was not found lately shows that it is there', async () => {
  const id = await markSpamWithEdits(GONE, GONE, GONE, GONE)
  const [card] = (await triage.store.get(id))!.cards
  triage.board.updates.push(GONE, GONE)
  await triage.settle(triage.decide({ id, action: 'forward', press: { card: card! } }))
  await retryEdit()
  await retryEdit()
  expect(triage.board.shown.get('slack-1')!.title).toBe('Form Submission marked as spam')
})

test('a card that its platform took and did not deliver is posted again, as often as that takes', async () => {
  const id = await triage.post({ name: 'Lin' })
  for (const messageId of ['slack-1', 'slack-3', 'slack-4']) {
    const card = { platform: 'slack', threadId: `slack:room:${messageId}`, messageId }
    await triage.settle(deletedCards.deleted(card, ['slack'], 'Nobody has written for a day.'))
    expect(await cardsOf(id)).toEqual(['discord-2'])
    await triage.sweepAfter(10 * 60_000)
  }
  expect(await cardsOf(id)).toEqual(['discord-2', 'slack-5'])
  // Repeated failures are one event. "posted" is added only after the card was posted.
  expect(await eventsOf(id)).toEqual(['received', 'posted', 'failed', 'posted'])
  expect(triage.board.shown.get('slack-5')!.notes).toEqual([])
})

test('a hundred at once are looked for together', async () => {
  await triage.post({ name: 'Lin' })
  await Promise.all(Array.from({ length: 100 }, (_, index) => deleteCard(`other-${index}`)))
  expect(reads).toBeLessThanOrEqual(2)
})

test('a card whose edit fails is still there: it is neither posted again nor waits for a person', async () => {
  const id = await triage.post({ name: 'Lin' })
  const refusal = { ...failing('It says too much.', { permanent: true }), content: true }
  triage.board.updates.push(failing('Slack is down.'), refusal)
  await triage.settle(triage.decide({ id, action: 'take' }))
  expect([await cardsOf(id), triage.board.shown.size]).toEqual([['slack-1', 'discord-2'], 2])
  expect(await triage.store.stuck(10)).toEqual([])
  expect((await triage.store.get(id))!.work).toHaveLength(2)
})
