import { beforeEach, expect, test } from 'vitest'
import { PeopleUnknown } from '../../../../server/domain/errors'
import { Home } from '../../../../server/domain/conversation/home'
import { inWords } from '../../../support/words'
import type { Person } from '../../../../server/ports/submission'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const ada: Person = { ...ADA, names: ['slack:U1'] }

let triage: Triage
let home: Home
/** Names of the people in the room. */
let members: string[]
beforeEach(async () => {
  triage = await openTriage({ form: { claim: 'soft' } })
  triage.runtime.uuid = () => crypto.randomUUID()
  members = ['slack:U1']
  triage.board.hasMember = async (_room?: string, { names = [] }: Pick<Person, 'names'> = {}) => ({
    ok: true, value: names.some(name => members.includes(name)),
  })
  home = new Home(triage, triage.reviewers, triage.decisions)
})
const CLOSED = /^Forms are shown here to people who may decide them/
const readHome = async (person = ada) => {
  const { text, items = [] } = await home.of(person, 'slack')
  return { text: inWords({ text }).text.join(' '), buttons: items.map(({ label, button }) => [label, button?.id]) }
}

test('without a list it is for whoever is in the room, and for nobody else', async () => {
  const ids = [await triage.post({ name: 'one' }), await triage.post({ name: 'two' })].map(id => id.slice(0, 8))
  const { text, buttons } = await readHome()
  expect(text).toMatch(/^2 submissions wait: 2 are free\. The oldest arrived on /)
  expect(buttons).toEqual(ids.map(id => [id, 'queue_take']))
  members = []
  expect((await readHome()).text).toMatch(CLOSED)
})

test('is not for whom another workspace calls the same', async () => {
  await triage.post({ name: 'one' })
  expect((await readHome({ ...ada, names: ['slack:T2:U1'] })).text).toMatch(CLOSED)
})

test('has no form data, which would stay there when it goes', async () => {
  await triage.post({ name: 'a name of somebody' })
  expect(JSON.stringify(await home.of(ada, 'slack'))).not.toContain('somebody')
})

test('while nobody can tell who is in the room, it says neither that there is nothing nor that it is closed', async () => {
  triage.board.hasMember = async () => ({ ok: false, reason: 'Slack: no connection.', permanent: false })
  await expect(home.of(ada, 'slack')).rejects.toThrow(PeopleUnknown)
})

test('each room is asked once who is in it, however many forms go there, for all that is shown after a press', async () => {
  const { forms } = triage
  const otherForms = Array.from({ length: 30 }, (_, index) => ({ ...forms.of(undefined), key: `form-${index}` }))
  Object.assign(forms, { all: [...forms.all, ...otherForms] })
  const id = await triage.post({ name: 'one' })
  const askedRooms: string[] = []
  triage.board.hasMember = async (room?: string) => {
    askedRooms.push(String(room))
    return { ok: true, value: true }
  }
  expect((await readHome()).buttons).toEqual([[id.slice(0, 8), 'queue_take']])
  expect(askedRooms).toEqual(['slack'])
  await home.pressed('take', id, ada, 'slack')
  expect(askedRooms).toEqual(['slack', 'slack'])
  await triage.runtime.drain()
})

test('with a list it is for who is on it, in the room or not', async () => {
  await triage.post({ name: 'one' })
  Object.assign(triage.forms.of(undefined), { reviewers: ['slack:U2'] })
  expect((await readHome()).text).toMatch(CLOSED)
  expect((await readHome({ ...ada, id: 'U2', names: ['slack:U2'] })).buttons).toHaveLength(1)
})

test('what one takes is theirs first, what others have is not offered, and nothing is taken by who sees none', async () => {
  const [one, two] = [await triage.post({ name: 'one' }), await triage.post({ name: 'two' })]
  await home.pressed('take', two, ada, 'slack')
  expect((await readHome()).buttons).toEqual([[two.slice(0, 8), 'queue_hand_back'], [one.slice(0, 8), 'queue_take']])
  members.push('slack:U2')
  const grace = { ...ada, id: 'U2', names: ['slack:U2'] }
  expect((await readHome(grace)).buttons).toEqual([[one.slice(0, 8), 'queue_take']])
  expect((await readHome()).text).toContain('2 submissions wait: 1 is yours, 1 is free.')
  expect((await readHome(grace)).text).toContain('2 submissions wait: 1 is free, others have 1.')
  await home.pressed('take', one, { ...ada, id: 'U3', names: ['slack:U3'] }, 'slack')
  expect((await triage.store.get(one))!.holder).toBeUndefined()
  await home.pressed('hand-back', two, ada, 'slack')
  expect((await readHome()).text).toContain('2 submissions wait: 2 are free.')
  await triage.runtime.drain()
})

test('where nobody takes anything, it does not tell whose anything is, and offers no button', async () => {
  Object.assign(triage.forms.of(undefined), { claim: null, name: 'Contact' })
  await triage.post({ name: 'one' })
  const { text, items = [] } = await home.of(ada, 'slack')
  expect(inWords({ text }).text.join(' ')).toMatch(/^1 submission waits\. The oldest arrived on /)
  expect(items.map(({ button }) => button)).toEqual([undefined])
  expect(inWords({ text: items.map(({ value }) => value) }).text[0]).toMatch(/^Contact, received /)
})
