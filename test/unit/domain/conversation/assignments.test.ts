import { beforeEach, expect, test } from 'vitest'
import { Assignments, parseAssignment } from '../../../../server/domain/conversation/assignments'
import { People } from '../../../../server/domain/people/people'
import type { Scope } from '../../../../server/ports/board'
import type { Person } from '../../../../server/ports/submission'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'
import { only } from '../../../fakes/only'
import type { SubmissionStore } from '../../../../server/ports/store'

const ada: Person = { ...ADA, names: ['slack:U1'] }
const ROOM: Scope = ['slack']

let triage: Triage
let assignments: Assignments
beforeEach(async () => {
  triage = await openTriage({ form: { claim: 'soft' } })
  triage.runtime.uuid = () => crypto.randomUUID()
  assignments = new Assignments(
    triage, new People({ Grace: ['slack:U2', 'discord:2'] }), triage.decisions,
  )
})
interface Said { by?: Person, mentioned?: string[] }

const answerTo = async (typed: string, { by = ada, mentioned }: Said = {}, place = ROOM) => {
  const { text, ...rest } = await assignments.assign(parseAssignment(typed)!, place, by, mentioned)
  return { ...rest, text: text.join(' ') }
}
const holderOf = async (id: string) => (await triage.store.get(id))!.holder

test.each([
  ['assign 0b1f2c3d <@U2>', '0b1f2c3d', ''], ['@form-bot assign 0B1F @grace', '0b1f', '@grace'],
  ['assign 0b1f me @form-bot', '0b1f', 'me'],
  ['<@U1> assign 0b1f2c3d-1111-4222-8333-444455556666 me', '0b1f2c3d-1111-4222-8333-444455556666', 'me'],
  ['assign 0b1f @Grace Hopper', '0b1f', '@Grace Hopper'], ['/assign 0b1f grace', '0b1f', 'grace'],
  ['take 0B1F', '0b1f', 'me'], ['@form-bot /take 0b1f', '0b1f', 'me'],
])('%j is an assignment', (typed, id, whom) => expect(parseAssignment(typed)).toEqual({ id, whom }))

test.each([
  'assign this to Grace', 'assign', 'assign 0b1', 'please assign 0b1f me', 'assignments 0b1f', '', 'take',
  'take it', 'take face value',
])(
  '%j is none', typed => expect(parseAssignment(typed)).toBeNull(),
)

test('whoever is mentioned has it, and is told below the card; PEOPLE says who they are elsewhere', async () => {
  const id = await triage.post({ name: 'Lin' })
  const answer = await answerTo(`assign ${id.slice(0, 8)} @grace`, { mentioned: ['slack:U2'] })
  expect(answer).toEqual({ text: 'Grace has it now.' })
  expect(await holderOf(id)).toMatchObject({ who: 'Grace', platform: 'Slack', by: { name: 'Ada' } })
  await triage.runtime.drain()
  expect(triage.board.replies).toEqual([{
    ref: expect.objectContaining({ platform: 'slack' }) as object, names: ['slack:U2', 'discord:2'],
    text: 'Grace, this is yours now: Ada has given it to you.',
  }])
})

test('me, and somebody by what PEOPLE calls them, have it too; others are asked for', async () => {
  const id = await triage.post({ name: 'Lin' })
  await answerTo(`assign ${id} me`)
  expect(await holderOf(id)).toMatchObject({ who: 'slack:U1' })
  for (const name of ['grace', '@Grace', '@grace @form-bot']) {
    await answerTo(`assign ${id} me`)
    await answerTo(`assign ${id} ${name}`)
    expect(await holderOf(id), name).toMatchObject({ who: 'Grace', id: 'U2' })
  }
  expect((await answerTo(`assign ${id} @form-bot`)).text).toMatch(/^To whom\?/)
  expect((await answerTo(`assign ${id} lin`)).text).toMatch(/^To whom\?/)
  expect(await holderOf(id)).toMatchObject({ who: 'Grace' })
})

test('what is of another room, or does not wait, is not found, and an id that is too short is asked for', async () => {
  triage.runtime.uuid = () => `aaaa${crypto.randomUUID().slice(4)}`
  const [id] = [await triage.post({ name: 'one' }), await triage.post({ name: 'two' })]
  expect((await answerTo('assign aaaa me')).text).toBe('2 ids begin with aaaa. Type more of it.')
  expect((await answerTo('assign bbbb me')).text).toBe('No waiting submission here has an id that begins with bbbb.')
  expect((await answerTo(`assign ${id} me`, {}, ['slack/C9'])).text).toMatch(/^No waiting submission here/)
  await triage.decide({ id, action: 'spam', person: ada })
  expect((await answerTo(`assign ${id} me`)).text).toMatch(/^Marked as spam by Ada/)
})

test('what waits is read without its data, and not at all for who writes from elsewhere', async () => {
  const id = await triage.post({ name: 'Lin' })
  const pages: unknown[] = []
  assignments = new Assignments({
    ...triage, store: only<SubmissionStore>({ get: id => triage.store.get(id), listRecords: (page) => {
      pages.push(page)
      return triage.store.listRecords(page)
    } }),
  }, new People(), triage.decisions)
  const idPrefix = id.slice(0, 8)
  expect((await answerTo(`take ${idPrefix}`, {}, ['slack/D1'])).text).toMatch(/^No waiting submission here/)
  expect(pages).toEqual([])
  expect((await answerTo(`take ${idPrefix}`)).text).toBe('Ada has it now.')
  expect(pages).toHaveLength(1)
})

test('who may not decide it gives it to nobody, and alone reads why; nor is it given to such', async () => {
  const id = await triage.post({ name: 'Lin' })
  Object.assign(triage.forms.of(undefined), { reviewers: ['slack:U2'] })
  expect(await answerTo(`assign ${id} grace`)).toEqual({
    isPrivate: true, text: expect.stringMatching(/^Only /) as string,
  })
  const grace = { ...ada, id: 'U2', name: 'Grace', names: ['slack:U2'] }
  const answer = await answerTo(`assign ${id} @ada`, { by: grace, mentioned: ['slack:U1'] })
  expect(answer.text).toMatch(/may not decide it/)
  const result = await triage.decide({ id, action: 'assign', assignee: { ...ada, name: 'Ada\u202E' }, person: grace })
  expect(result).toMatchObject({ message: 'Ada⟨U+202E⟩ may not decide it, so it was not assigned.' })
  expect(await holderOf(id)).toBeUndefined()
})
