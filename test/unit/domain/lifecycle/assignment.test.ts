import { describe, expect, test } from 'vitest'
import type { Press } from '../../../../server/domain/lifecycle/events'
import type { Person } from '../../../../server/ports/submission'
import { ADA, CLAIM_MS, LEASE_MS, openTriage, type Triage, type Wish } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

const ada: Person = { ...ADA, names: ['slack:U1'] }
const grace: Person = { id: '123', name: 'Grace', platform: 'Discord', names: ['discord:123'] }
const CLICK = { card: { platform: 'slack', threadId: 'slack:room:slack-1', messageId: 'slack-1' } }

let triage: Triage
const openSubmission = async (form = {}) => {
  triage = await openTriage({ platforms: ['slack', 'discord'], form: { claim: 'soft', ...form } })
  return triage.post({ name: 'Lin' })
}
const decide = (wish: Wish) => triage.decide(wish)
const take = (id: string, person = ada, press?: Press) => decide({ id, action: 'take', person, press })
const handBack = (id: string, person = ada, press?: Press) => decide({ id, action: 'hand-back', person, press })
const assign = (id: string, assignee: Person, person: Person) => decide({ id, action: 'assign', assignee, person })
const byGrace = { action: 'edit', person: grace, place: 'everywhere' } as const
const edit = (id: string, press?: Press) => decide({ ...byGrace, id, values: { f0: 'Linus' }, press })
const openForm = (id: string, press?: Press) => triage.decisions.open({ ...byGrace, id, press })
const drainCards = async (id: string) => {
  await triage.runtime.drain()
  return [...triage.board.shown.values()].filter(card => card.submissionId === id)
}
const buttons = async (id: string) => (await drainCards(id)).map(({ actions }) => actions.map(({ id }) => id))
const assigneeOf = async (id: string) => (await triage.store.get(id))?.holder?.name
const passTime = (ms: number) => void (triage.runtime.time += ms)
const forward = (id: string, person: Person, press?: Press) => decide({ id, action: 'forward', person, press })

describe('a submission that somebody takes', () => {
  test('says so on every card after one edit each, and offers to hand it back in place of taking it', async () => {
    const id = await openSubmission()
    expect(await buttons(id)).toEqual(Array.from({ length: 2 }, () => ['forward', 'edit', 'spam', 'take']))
    const editsBefore = triage.board.history.length
    expect(await take(id)).toEqual({ kind: 'done' })
    const cards = await drainCards(id)
    const note = 'Ada has it (Slack, 12:00 UTC)'
    expect(cards.map(({ notes }) => notes)).toEqual([[note], [note]])
    expect(await buttons(id)).toEqual(Array.from({ length: 2 }, () => ['forward', 'edit', 'spam', 'hand_back']))
    expect(triage.board.history.length - editsBefore).toBe(2)
  })

  test('is theirs alone: others read who has it, and nothing changes', async () => {
    const id = await openSubmission()
    await take(id)
    expect(inWords(await take(id, grace))).toEqual({
      kind: 'forbidden', reason: 'taken', message: 'Ada (Slack) has had it since 12:00 UTC.',
    })
    expect(await take(id, { ...ada, id: 'U9' })).toEqual({ kind: 'done' })
    expect(inWords(await handBack(id, grace))).toEqual({
      kind: 'forbidden', reason: 'taken', message: 'Ada (Slack) has had it since 12:00 UTC: nobody else can hand it back.',
    })
    expect(await assigneeOf(id)).toBe('Ada')
  })

  test('is handed back by its holder, as whoever PEOPLE says they are', async () => {
    const id = await openSubmission()
    await take(id, { ...ada, person: 'ada' })
    expect(await handBack(id, { ...grace, name: 'Ada', person: 'ada' })).toEqual({ kind: 'done' })
    expect(await assigneeOf(id)).toBeUndefined()
    expect((await drainCards(id)).map(({ notes }) => notes)).toEqual([[], []])
    expect(await handBack(id)).toEqual({ kind: 'done' })
  })

  test('is not taken again, or handed back again, by a click that is sent again', async () => {
    const id = await openSubmission()
    await take(id, ada, { ...CLICK, press: 'one' })
    await handBack(id, ada, { ...CLICK, press: 'two' })
    await take(id, ada, { ...CLICK, press: 'one' })
    expect(await assigneeOf(id)).toBeUndefined()
    await take(id, ada, { ...CLICK, press: 'three' })
    await handBack(id, ada, { ...CLICK, press: 'two' })
    expect(await assigneeOf(id)).toBe('Ada')
  })

  test('is nobody\'s any more when its time is over: from then on others take it, and the sweep takes it off the cards', async () => {
    const id = await openSubmission()
    await take(id)
    passTime(CLAIM_MS - 1)
    await triage.sweep()
    expect(await assigneeOf(id)).toBe('Ada')
    passTime(1)
    await triage.sweep()
    expect([await assigneeOf(id), (await drainCards(id)).map(({ notes }) => notes)]).toEqual([undefined, [[], []]])
    await take(id)
    passTime(CLAIM_MS)
    expect(await take(id, grace)).toEqual({ kind: 'done' })
    expect(await assigneeOf(id)).toBe('Grace')
  })

  test('is nobody\'s any more when it is decided, also once it is open again', async () => {
    const id = await openSubmission()
    await take(id)
    triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No such address.' })
    expect(await forward(id, ada)).toEqual({ kind: 'done' })
    await drainCards(id)
    const reopened = (await triage.store.get(id))!
    expect([reopened.state, reopened.holder]).toEqual(['open', undefined])
    expect((await triage.store.listPending({ limit: 10, only: 'taken' })).submissions).toEqual([])
  })

  test('is nobody\'s any more within a minute when its holder is no reviewer any more, but not while nobody can tell', async () => {
    let members: readonly string[] | null = ['slack:U1']
    const id = await openSubmission({ reviewers: ['slack:S1', 'discord:123'] })
    triage.board.groups.set('slack:S1', async () => members
      ? { ok: true, value: members }
      : { ok: false, permanent: false, reason: 'Slack does not answer.' })
    await take(id)
    for (const [listedMembers, isAssigned] of [[['slack:U1'], true], [null, true], [[], false]] as const) {
      members = listedMembers
      passTime(60_000 + LEASE_MS)
      await triage.sweep()
      expect(await assigneeOf(id)).toBe(isAssigned ? 'Ada' : undefined)
    }
    expect((await triage.store.get(id))!.history.at(-1)).toMatchObject({ event: 'freed', left: true })
  })

  test('cannot be taken by who may not decide it, nor once it is decided', async () => {
    const id = await openSubmission({ reviewers: ['discord:123'] })
    expect(await take(id)).toMatchObject({ kind: 'forbidden', reason: 'unlisted' })
    expect(await assign(id, grace, ada)).toMatchObject({ kind: 'forbidden', reason: 'unlisted' })
    expect(await assign(id, ada, grace)).toMatchObject({ kind: 'unchanged', message: /^Ada may not decide it/ })
    expect(await forward(id, grace)).toEqual({ kind: 'done' })
    await drainCards(id)
    const message = expect.stringMatching(/^Forwarded by Grace/) as string
    expect(inWords(await take(id, grace))).toEqual({ kind: 'unchanged', message })
  })

  test('is given to nobody while their group cannot be looked up, which is what is said then', async () => {
    const id = await openSubmission({ reviewers: ['discord:123', 'slack:S1'] })
    triage.board.groups.set('slack:S1', async () => ({ ok: false, reason: 'Slack is away.', permanent: false }))
    expect(await assign(id, ada, grace)).toMatchObject({
      kind: 'unchanged', message: /^Cannot check just now whether Ada may decide it/,
    })
    expect(await assigneeOf(id)).toBeUndefined()
  })

  test('can be given to another one by any reviewer, whoever has it, who is told once, where they are', async () => {
    const id = await openSubmission()
    await take(id)
    expect(await assign(id, grace, ada)).toEqual({ kind: 'done' })
    const { holder } = (await triage.store.get(id))!
    expect(holder).toMatchObject({ name: 'Grace', who: 'discord:123', by: { name: 'Ada' } })
    const drainReplies = async () => {
      await triage.runtime.drain()
      return triage.board.replies.splice(0)
    }
    const ref = expect.objectContaining({ platform: 'discord' }) as object
    const text = 'Grace, this is yours now: Ada has given it to you.'
    expect(await drainReplies()).toEqual([{ ref, text, names: ['discord:123'] }])
    expect(await assign(id, grace, ada)).toEqual({ kind: 'done' })
    expect(await assign(id, ada, ada)).toEqual({ kind: 'done' })
    expect([await drainReplies(), await assigneeOf(id)]).toEqual([[], 'Ada'])
  })
})

describe('a decision about what another one has', () => {
  const WARNING_TEXT = 'Ada (Slack) has had it since 12:00 UTC. Press the button again to decide anyway.'

  test('takes a second click of who was told, and not the other half of a double click or the same one again', async () => {
    const id = await openSubmission()
    await take(id)
    const warning = { kind: 'forbidden', reason: 'taken', message: WARNING_TEXT }
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'one' }))).toEqual(warning)
    passTime(999)
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'two' }))).toEqual(warning)
    passTime(1)
    expect(inWords(await forward(id, grace, { ...CLICK, press: 'one' }))).toEqual(warning)
    const namesake = { ...grace, names: ['discord:9'] }
    expect(inWords(await forward(id, namesake, { ...CLICK, press: 'other' }))).toEqual(warning)
    expect(await forward(id, grace, { ...CLICK, press: 'three' })).toEqual({ kind: 'done' })
  })

  test('that a program asked for has no button: it is approved once more by the same person', async () => {
    const id = await openSubmission()
    await take(id)
    const warning = 'Ada (Slack) has had it since 12:00 UTC. Nothing was decided. To decide anyway, ask for the same action again, and have the same person approve it.'
    const warned = { kind: 'forbidden', reason: 'taken', message: warning }
    const approved = { action: 'forward', person: grace } as const
    expect(inWords(await triage.submissions.decide({ ...approved, id }))).toEqual(warned)
    expect(await triage.submissions.decide({ ...approved, id })).toEqual({ kind: 'done' })
    const otherId = await openSubmission()
    await take(otherId)
    expect(inWords(await triage.submissions.decide({ ...approved, id: otherId, changes: [] }))).toEqual(warned)
  })

  test('asks before the form opens, and has it sent without asking again', async () => {
    const id = await openSubmission()
    await take(id)
    expect(inWords(await openForm(id, CLICK))).toEqual({ kind: 'forbidden', reason: 'taken', message: WARNING_TEXT })
    passTime(5000)
    expect(await openForm(id, CLICK)).toMatchObject({ inputs: [{ id: 'f0' }] })
    expect(await edit(id)).toEqual({ kind: 'done' })
  })

  test('by a form that was open before is told once, and then takes the same form', async () => {
    const id = await openSubmission()
    await take(id)
    const send = () => edit(id, { press: 'view' })
    expect(await send()).toMatchObject({ reason: 'taken' })
    expect(await send()).toEqual({ kind: 'done' })
  })

  test('is told again of the next one who takes it', async () => {
    const id = await openSubmission()
    await take(id)
    await forward(id, grace)
    await handBack(id)
    await take(id)
    expect(await forward(id, grace)).toMatchObject({ reason: 'taken' })
  })

  test('is not possible where the rule is exclusive, until it is handed back or its time is over', async () => {
    const id = await openSubmission({ claim: 'exclusive' })
    await take(id)
    for (let times = 0; times < 2; times++) {
      expect(inWords(await forward(id, grace))).toEqual({
        kind: 'forbidden', reason: 'taken',
        message: 'Ada (Slack) has had it since 12:00 UTC. Others may decide when they hand it back, or from 16:00 UTC on.',
      })
    }
    expect(await openForm(id)).toMatchObject({ reason: 'taken' })
    passTime(CLAIM_MS)
    expect(await forward(id, grace)).toEqual({ kind: 'done' })
  })

  test('by its holder asks nothing', async () => {
    const id = await openSubmission({ claim: 'exclusive' })
    await take(id)
    expect(await forward(id, ada, CLICK)).toEqual({ kind: 'done' })
  })
})

test('where nobody takes cards have no button for it, a click on one does nothing, and a holder of before holds nobody up', async () => {
  const id = await openSubmission()
  await triage.settle(take(id))
  const { forms } = triage
  Object.assign(forms.of(undefined), { claim: undefined })
  const otherId = await triage.post({ name: 'Lin' })
  expect(await buttons(otherId)).toEqual([['forward', 'edit', 'spam'], ['forward', 'edit', 'spam']])
  expect(await take(otherId)).toEqual({ kind: 'unchanged', message: 'Assignment is off (set TAKE=1).' })
  expect(await assigneeOf(otherId)).toBeUndefined()
  expect(await forward(id, grace, CLICK)).toEqual({ kind: 'done' })
})
