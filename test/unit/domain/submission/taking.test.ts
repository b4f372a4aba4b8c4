import { afterEach, describe, expect, test } from 'vitest'
import type { Click } from '../../../../server/domain/submission/desk'
import type { Person } from '../../../../server/ports/submission'
import { ADA, CLAIM_MS, LEASE_MS, openTriage, type Triage } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

const ada: Person = { ...ADA, names: ['slack:U1'] }
const grace: Person = { id: '123', name: 'Grace', platform: 'Discord', names: ['discord:123'] }
const CLICK = { card: { platform: 'slack', threadId: 'slack:room:slack-1', messageId: 'slack-1' } }

let triage: Triage
const open = async (form = {}) => {
  triage = await openTriage({ platforms: ['slack', 'discord'], form: { claim: 'soft', ...form } })
  return triage.post({ name: 'Lin' })
}
afterEach(() => triage.close())

const taking = () => triage.review.taking
const taken = (id: string, by = ada, click?: object) => taking().take(id, by, click)
const settled = async (id: string) => {
  await triage.runtime.drain()
  return [...triage.board.shown.values()].filter(card => card.submissionId === id)
}
const buttons = async (id: string) => (await settled(id)).map(({ actions }) => actions.map(({ id }) => id))
const holderOf = async (id: string) => (await triage.store.get(id))?.holder?.name
const later = (ms: number) => void (triage.runtime.time += ms)
const forward = (id: string, by: Person, click?: Click) => triage.review.decide(id, 'forward', by, click)

describe('a submission that somebody takes', () => {
  test('says so on every card after one edit each, and offers to hand it back in place of taking it', async () => {
    const id = await open()
    expect(await buttons(id)).toEqual(Array.from({ length: 2 }, () => ['forward', 'edit', 'spam', 'take']))
    const before = triage.board.history.length
    expect(await taken(id)).toEqual({ claimed: true })
    const cards = await settled(id)
    const note = 'Ada has it (Slack, 12:00 UTC)'
    expect(cards.map(({ notes }) => notes)).toEqual([[note], [note]])
    expect(await buttons(id)).toEqual(Array.from({ length: 2 }, () => ['forward', 'edit', 'spam', 'hand_back']))
    expect(triage.board.history.length - before).toBe(2)
  })

  test('is theirs alone: others read who has it, and nothing changes', async () => {
    const id = await open()
    await taken(id)
    expect(inWords(await taken(id, grace))).toEqual({
      claimed: false, message: 'Ada (Slack) has it since 12:00 UTC.', forbidden: 'taken',
    })
    expect(await taken(id, { ...ada, id: 'U9' })).toEqual({ claimed: true })
    expect(inWords(await taking().handBack(id, grace))).toEqual({
      claimed: false, message: 'Ada (Slack) has it since 12:00 UTC: nobody else can hand it back.', forbidden: 'taken',
    })
    expect(await holderOf(id)).toBe('Ada')
  })

  test('is handed back by its holder, as whoever PEOPLE says they are', async () => {
    const id = await open()
    await taken(id, { ...ada, person: 'ada' })
    expect(await taking().handBack(id, { ...grace, name: 'Ada', person: 'ada' })).toEqual({ claimed: true })
    expect(await holderOf(id)).toBeUndefined()
    expect((await settled(id)).map(({ notes }) => notes)).toEqual([[], []])
    expect(await taking().handBack(id, ada)).toEqual({ claimed: true })
  })

  test('is not taken again, or handed back again, by a click that is sent again', async () => {
    const id = await open()
    await taken(id, ada, { ...CLICK, press: 'one' })
    await taking().handBack(id, ada, { ...CLICK, press: 'two' })
    await taken(id, ada, { ...CLICK, press: 'one' })
    expect(await holderOf(id)).toBeUndefined()
    await taken(id, ada, { ...CLICK, press: 'three' })
    await taking().handBack(id, ada, { ...CLICK, press: 'two' })
    expect(await holderOf(id)).toBe('Ada')
  })

  test('is nobody\'s any more when its time is over: from then on others take it, and the sweep takes it off the cards', async () => {
    const id = await open()
    await taken(id)
    later(CLAIM_MS - 1)
    await triage.sweep()
    expect(await holderOf(id)).toBe('Ada')
    later(1)
    await triage.sweep()
    expect([await holderOf(id), (await settled(id)).map(({ notes }) => notes)]).toEqual([undefined, [[], []]])
    await taken(id)
    later(CLAIM_MS)
    expect(await taken(id, grace)).toEqual({ claimed: true })
    expect(await holderOf(id)).toBe('Grace')
  })

  test('is nobody\'s any more when it is decided, also once it is open again', async () => {
    const id = await open()
    await taken(id)
    triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No such address.' })
    expect(await forward(id, ada)).toEqual({ claimed: true })
    await settled(id)
    const left = (await triage.store.get(id))!
    expect([left.state, left.holder]).toEqual(['open', undefined])
    expect((await triage.store.listPending({ limit: 10, only: 'taken' })).submissions).toEqual([])
  })

  test('is nobody\'s any more within a minute when its holder is no reviewer any more, but not while nobody can tell', async () => {
    let members: readonly string[] | null = ['slack:U1']
    const id = await open({ reviewers: ['slack:S1', 'discord:123'] })
    triage.board.groups.set('slack:S1', async () => members
      ? { ok: true, value: members }
      : { ok: false, permanent: false, reason: 'Slack does not answer.' })
    await taken(id)
    for (const [who, holds] of [[['slack:U1'], true], [null, true], [[], false]] as const) {
      members = who
      later(60_000 + LEASE_MS)
      await triage.sweep()
      expect(await holderOf(id)).toBe(holds ? 'Ada' : undefined)
    }
    expect((await triage.store.get(id))!.history.at(-1)).toMatchObject({ event: 'freed', left: true })
  })

  test('cannot be taken by who may not decide it, nor once it is decided', async () => {
    const id = await open({ reviewers: ['discord:123'] })
    expect(await taken(id)).toMatchObject({ claimed: false, forbidden: 'unlisted' })
    expect(await taking().assign(id, grace, ada)).toMatchObject({ claimed: false, forbidden: 'unlisted' })
    expect(await taking().assign(id, ada, grace)).toMatchObject({ claimed: false, message: /^Ada may not decide it/ })
    expect(await forward(id, grace)).toEqual({ claimed: true })
    await settled(id)
    expect(inWords(await taken(id, grace))).toEqual({
      claimed: false, message: expect.stringMatching(/^Forwarded by Grace/),
    })
  })

  test('is given to nobody while their group cannot be looked up, which is what is said then', async () => {
    const id = await open({ reviewers: ['discord:123', 'slack:S1'] })
    triage.board.groups.set('slack:S1', async () => (
      { ok: false, reason: 'Slack is away.', permanent: false }
    ))
    expect(await taking().assign(id, ada, grace)).toMatchObject({
      claimed: false, message: /^Nobody can tell just now whether Ada may decide it/,
    })
    expect(await holderOf(id)).toBeUndefined()
  })

  test('can be given to another one by any reviewer, whoever has it, who is told once, where they are', async () => {
    const id = await open()
    await taken(id)
    expect(await taking().assign(id, grace, ada)).toEqual({ claimed: true })
    const { holder } = (await triage.store.get(id))!
    expect(holder).toMatchObject({ name: 'Grace', who: 'discord:123', by: { name: 'Ada' } })
    const said = async () => {
      await triage.runtime.drain()
      return triage.board.replies.splice(0)
    }
    const ref = expect.objectContaining({ platform: 'discord' }) as object
    const text = 'Grace, this is yours now: Ada has given it to you.'
    expect(await said()).toEqual([{ ref, text, names: ['discord:123'] }])
    expect(await taking().assign(id, grace, ada)).toEqual({ claimed: true })
    expect(await taking().assign(id, ada, ada)).toEqual({ claimed: true })
    expect([await said(), await holderOf(id)]).toEqual([[], 'Ada'])
  })
})

describe('a decision about what another one has', () => {
  const WORD = 'Ada (Slack) has it since 12:00 UTC. Press the button again to decide anyway.'

  test('takes a second click of who was told, and not the other half of a double click or the same one again', async () => {
    const id = await open()
    await taken(id)
    const word = { claimed: false, message: WORD, forbidden: 'taken' }
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'one' }))).toEqual(word)
    later(999)
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'two' }))).toEqual(word)
    later(1)
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'one' }))).toEqual(word)
    expect(inWords(await forward(id, { ...grace, names: ['discord:9'] }, { ...CLICK, press: 'other' }))).toEqual(word)
    expect(await forward(id, grace, { ...CLICK, press: 'three' })).toEqual({ claimed: true })
  })

  test('that a program asked for has no button: it is approved once more by the same person', async () => {
    const id = await open()
    await taken(id)
    const word = 'Ada (Slack) has it since 12:00 UTC. Nothing was decided. Whoever approved it may decide anyway: ask for the same once more, for them to approve.'
    const told = { claimed: false, message: word, forbidden: 'taken' }
    expect(inWords(await triage.submissions.decide(id, 'forward', grace))).toEqual(told)
    expect(await triage.submissions.decide(id, 'forward', grace)).toEqual({ claimed: true })
    const other = await open()
    await taken(other)
    expect(inWords(await triage.submissions.decideEdited(other, [], grace))).toEqual(told)
  })

  test('asks before the form opens, and has it sent without asking again', async () => {
    const id = await open()
    await taken(id)
    expect(inWords(await triage.review.edit(id, grace, CLICK))).toEqual({
      claimed: false, message: WORD, forbidden: 'taken',
    })
    later(5000)
    expect(await triage.review.edit(id, grace, CLICK)).toMatchObject({ inputs: [{ id: 'f0' }] })
    expect(await triage.review.decideEdited(id, { f0: 'Linus' }, grace)).toEqual({ claimed: true })
  })

  test('by a form that was open before is told once, and then takes the same form', async () => {
    const id = await open()
    await taken(id)
    const send = () => triage.review.decideEdited(id, { f0: 'Linus' }, grace, { press: 'view' })
    expect(await send()).toMatchObject({ forbidden: 'taken' })
    expect(await send()).toEqual({ claimed: true })
  })

  test('is told again of the next one who takes it', async () => {
    const id = await open()
    await taken(id)
    await forward(id, grace)
    await taking().handBack(id, ada)
    await taken(id)
    expect(await forward(id, grace)).toMatchObject({ forbidden: 'taken' })
  })

  test('is not possible where the rule is exclusive, until it is handed back or its time is over', async () => {
    const id = await open({ claim: 'exclusive' })
    await taken(id)
    for (let times = 0; times < 2; times++) {
      expect(inWords(await forward(id, grace))).toEqual({
        claimed: false, forbidden: 'taken',
        message: 'Ada (Slack) has it since 12:00 UTC. Others may decide when they hand it back, or from 16:00 UTC on.',
      })
    }
    expect(await triage.review.edit(id, grace)).toMatchObject({ forbidden: 'taken' })
    later(CLAIM_MS)
    expect(await forward(id, grace)).toEqual({ claimed: true })
  })

  test('by its holder asks nothing', async () => {
    const id = await open({ claim: 'exclusive' })
    await taken(id)
    expect(await forward(id, ada, CLICK)).toEqual({ claimed: true })
  })
})

test('where nobody takes cards have no button for it, a click on one does nothing, and a holder of before holds nobody up', async () => {
  const id = await open()
  await taken(id)
  await triage.runtime.drain()
  const { forms } = triage.presentation
  Object.assign(forms.of(undefined), { claim: undefined })
  const other = await triage.post({ name: 'Lin' })
  expect(await buttons(other)).toEqual([['forward', 'edit', 'spam'], ['forward', 'edit', 'spam']])
  expect(await taken(other)).toEqual({ claimed: false, message: 'Nobody takes submissions here: TAKE is not set.' })
  expect(await holderOf(other)).toBeUndefined()
  expect(await forward(id, grace, CLICK)).toEqual({ claimed: true })
})
