import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readForms } from '../../../../server/config/forms'
import { whoDecides } from '../../../../server/config/people'
import { admitPerson, Reviewers } from '../../../../server/domain/people/reviewers'
import { identityOf, isNamed, parseAliases, People, signatureOf } from '../../../../server/domain/people/people'
import type { Person } from '../../../../server/ports/submission'
import { FakeBoard } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { FakeRuntime, silentMonitor } from '../../../fakes/runtime'
import { problemsOf, PRODUCTION } from '../../../fixtures/config/env'

const isName = (name: string) => /^(?:slack|discord|ops):\w/.test(name)
const person = (...names: string[]): Person => ({ id: names[0] ?? '?', name: 'Somebody', platform: 'Slack', names })
const people = new People({ ada: ['slack:U1', 'discord:1', 'ops:ada'], grace: ['slack:U2'] })

describe('PEOPLE', () => {
  test('has a person a line or between semicolons, and names of the ops pages in any case', () => {
    expect(parseAliases('ada = slack:U1, ops:Ada ;\n grace L. = discord:2\n', isName)).toEqual({
      aliases: { 'ada': ['slack:U1', 'ops:ada'], 'grace L.': ['discord:2'] }, problems: [],
    })
  })

  test.each([
    ['ada slack:U1', 'ada slack:U1', 'must be a name, =, and ids separated by commas'],
    ['ada =', 'ada =', 'must be a name, =, and ids separated by commas'],
    ['slack:U1 = slack:U1', 'slack:U1 = slack:U1', 'must be a name, =, and ids separated by commas'],
    ['ada = slack:U1; grace = bob', 'grace = bob', 'bob is not the id of a person'],
    ['ada = slack:U1; ada = slack:U2', 'ada = slack:U2', 'ada is listed twice'],
    ['ada = slack:U1; grace = slack:U1', 'grace = slack:U1', 'slack:U1 is ada already'],
  ])('%j is refused with the line that is wrong', (text, line, why) => {
    expect(parseAliases(text, isName).problems).toEqual([`“${line}”: ${why}`])
  })

  test('stops the start with the line that is wrong, also where forms.config.ts has it', () => {
    expect(problemsOf({ ...PRODUCTION, PEOPLE: 'ada = slack:U0123456789\ngrace = slack:grace' })).toEqual([
      'PEOPLE has a mistake in “grace = slack:grace”: slack:grace is not the id of a person.',
    ])
    const problems: string[] = []
    const people = { ada: ['slack:U1'] }
    expect(readForms({ people }, undefined, null, problems)).toEqual({ forms: {}, people })
    readForms({ people: { name: 'People' } }, undefined, null, problems)
    expect(problems).toEqual([expect.stringContaining('forms.config.ts: people.name ')])
  })

  test('makes one person of all their names, and keeps who it is of what they did', () => {
    const { names, person: ada } = people.known(['discord:1', 'discord:role:7'])
    expect({ names, ada }).toEqual({ names: ['discord:1', 'discord:role:7', 'slack:U1', 'ops:ada'], ada: 'ada' })
    expect(people.known(['slack:U9'])).toEqual({ names: ['slack:U9'] })
    expect(people.known(['slack:T1:U1', 'slack:U1']).person).toBe('ada')
    const signed = signatureOf({ ...person('discord:1'), person: ada })
    expect(signed).toEqual({ id: 'discord:1', name: 'Somebody', platform: 'Slack', person: 'ada' })
    expect([identityOf(signed), identityOf(person('slack:U9', 'slack:T1:U9'))]).toEqual(['ada', 'slack:U9'])
  })
})

test('somebody is found by what they are called, in any case and as a mention; a stranger is not', () => {
  const names = ['slack:U1', 'discord:1', 'ops:ada']
  for (const called of ['ada', 'ADA', '@Ada']) expect(people.namesOf(called)).toEqual(names)
  expect(people.namesOf('lin')).toEqual([])
})

describe('a list', () => {
  test.each([
    ['slack:U0123456789', true], ['slack:T0123456789:U0123456789', true], ['slack:S0123456789', true],
    ['discord:role:123456789012345678', true], ['telegram:42', true], ['gchat:users/42', true], ['teams:29:1a', true],
    ['ops:Ada Lovelace', true], ['ops:ada@example.com', true],
    ['ada', false], ['slack:ada', false], ['ops:', false], ['discord:role:', false], ['irc:ada', false],
  ])('takes %s: %s', (entry, taken) => {
    for (const name of ['REVIEWERS', 'OPS_VIEWERS']) {
      expect(problemsOf({ ...PRODUCTION, [name]: entry })).toEqual(
        taken ? [] : [expect.stringContaining(`${name} is malformed: each entry is a person`)],
      )
    }
    const problems: string[] = []
    readForms({ contact: { name: 'Contact', reviewers: [entry] } }, undefined, null, problems)
    expect(problems).toHaveLength(taken ? 0 : 1)
  })

  test('has who is named, by any of their names, and nobody without one', () => {
    expect(isNamed(person('slack:T1:U1', 'slack:U1'), ['slack:U1'])).toBe(true)
    expect(isNamed(person('slack:U1'), ['discord:U1', 'slack:T2:U1'])).toBe(false)
    for (const [name, entry] of [['slack:U1', 'slack:U12'], ['slack:U12', 'slack:U1']] as const) {
      expect(isNamed(person(name), [entry])).toBe(false)
    }
    expect(isNamed({}, ['slack:U1'])).toBe(false)
  })
})

describe('who may decide', () => {
  const attempt = { submission: '1', action: 'spam', platform: 'slack' }
  let board: FakeBoard
  let runtime: FakeRuntime
  let reviewers: Reviewers
  let [lookups, refusedPlatforms]: [number, string[]] = [0, []]
  const group = (members: string[] | null) => board.groups.set('slack:S1', async () => {
    lookups++
    return members ? { ok: true, value: members } : { ok: false, permanent: false, reason: 'Slack: no connection.' }
  })
  const refusal = async (list: string[] | undefined, refusedPerson: Person) => (
    (await reviewers.refusal({ reviewers: list }, refusedPerson, attempt))?.message ?? null
  )

  beforeEach(() => {
    ;[lookups, refusedPlatforms] = [0, []]
    board = new FakeBoard()
    runtime = new FakeRuntime()
    reviewers = new Reviewers(testContext({
      board, runtime, monitor: { ...silentMonitor, refused: platform => void refusedPlatforms.push(platform) },
    }), people)
  })
  afterEach(() => runtime.drain())

  test('is everybody without a list, and nobody is asked', async () => {
    group([])
    expect(await refusal(undefined, person())).toBe(null)
    expect([lookups, refusedPlatforms]).toEqual([0, []])
  })

  test('is who is listed; somebody else is told who that is, and counted', async () => {
    const list = ['slack:U1', 'ops:ada', 'slack:U2', 'telegram:3']
    expect(await refusal(list, person('slack:U1'))).toBe(null)
    expect(await refusal(list, person('slack:U3'))).toBe('Only ada, grace and others may decide this.')
    expect(refusedPlatforms).toEqual(['slack'])
  })

  test('is told by names, and never by ids or addresses', async () => {
    const manyEntries = Array.from({ length: 12 }, (_, index) => `ops:p${index}`)
    const unnamed = 'Only those who are listed may decide this.'
    for (const [list, message] of [
      [['ops:ada', 'slack:U1'], 'Only ada may decide this.'], [['telegram:3', 'ops:a@example.com'], unnamed],
      [manyEntries, 'Only p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and others may decide this.'],
    ] as const) expect(await refusal([...list], person('slack:U3'))).toBe(message)
    expect(whoDecides({ reviewers: ['slack:U2', 'slack:U9'], aliases: { grace: ['slack:U2'] }, claimMs: null }, {
      contact: { name: 'Contact', reviewers: ['ops:a@example.com'] },
    })).toEqual(['Only grace and others may decide.', 'Contact: Only those who are listed may decide.'])
    expect(whoDecides({ viewers: ['ops:see'], aliases: {}, claimMs: null }, {})).toEqual([
      'Everybody in the room may decide: REVIEWERS is not set.',
      'On the ops pages only listed reviewers decide: OPS_VIEWERS is set.',
    ])
  })

  test('is who is in a listed group, which is asked once a minute', async () => {
    group(['slack:U5'])
    for (let times = 0; times < 3; times++) expect(await refusal(['slack:S1'], person('slack:U5'))).toBe(null)
    expect(lookups).toBe(1)
    group([])
    runtime.time += 59_000
    expect(await refusal(['slack:S1'], person('slack:U5'))).toBe(null)
    runtime.time += 1000
    expect(await refusal(['slack:S1'], person('slack:U5'))).toBe('Only those who are listed may decide this.')
    expect(lookups).toBe(2)
    // People of other platforms cannot be in the group.
    expect(await refusal(['slack:S1'], person('discord:5'))).toBe('Only those who are listed may decide this.')
  })

  test('is who is listed alone while the group cannot be looked up; others are told to try again', async () => {
    group(null)
    expect(await refusal(['slack:S1', 'slack:U1'], person('slack:U1'))).toBe(null)
    expect(lookups).toBe(0)
    const tryAgain = async () => (
      expect(await refusal(['slack:S1'], person('slack:U5'))).toMatch(/try again in a moment\.$/)
    )
    for (let times = 0; times < 3; times++) await tryAgain()
    expect(lookups).toBe(1)
    runtime.time += 3000
    await tryAgain()
    expect(lookups).toBe(2)
  })

  test('is who is in one group while another cannot be looked up', async () => {
    group(null)
    board.groups.set('slack:S2', async () => ({ ok: true, value: ['slack:U5'] }))
    expect(await refusal(['slack:S1', 'slack:S2'], person('slack:U5'))).toBe(null)
  })

  test('is told by the name that the platform knows, with a mark for what would turn the text', async () => {
    Object.assign(board, { nameOf: async () => 'Eve\u202E' })
    expect(await refusal(['slack:U9'], person('slack:U3'))).toBe('Only Eve⟨U+202E⟩ may decide this.')
  })

  test.each([
    ['without lists', {}, { 'ops:x': 'reviewer' }],
    ['with reviewers', { reviewers: ['ops:ada'] }, { 'ops:ada': 'reviewer', 'ops:x': 'viewer' }],
    ['with viewers', { viewers: ['ops:ada'] }, { 'ops:ada': 'viewer', 'ops:x': undefined }],
    ['with reviewers of one form alone', { contact: ['ops:ada'] }, { 'ops:ada': 'reviewer', 'ops:x': 'reviewer' }],
    [
      'with reviewers of one form alone, and viewers', { contact: ['ops:ada'], viewers: ['ops:see'] },
      { 'ops:ada': 'reviewer', 'ops:see': 'viewer', 'ops:x': undefined },
    ],
    [
      'with both', { reviewers: ['ops:ada', 'slack:U2'], viewers: ['ops:ada', 'ops:see'] },
      {
        'ops:ada': 'reviewer', 'discord:1': 'reviewer', 'slack:U2': 'reviewer', 'ops:see': 'viewer', 'ops:x': undefined,
      },
    ],
  ])('at the ops pages, %s', async (
    _, lists: Partial<Record<'reviewers' | 'contact' | 'viewers', string[]>>, roles,
  ) => {
    const contact = { reviewers: lists.contact ?? lists.reviewers }
    const forms = formsOf({ reviewers: lists.reviewers }, { contact })
    for (const [name, role] of Object.entries(roles)) {
      const admitted = await admitPerson(
        person(name), testContext({ forms, viewers: lists.viewers }), people, reviewers,
      )
      expect(admitted?.role).toBe(role)
    }
  })

  test('at the ops pages is not known while a group cannot be looked up', async () => {
    group(null)
    const forms = formsOf({ reviewers: ['slack:S1'] })
    const admit = (name: string, viewers?: string[]) => (
      admitPerson(person(name), testContext({ forms, viewers }), people, reviewers)
    )
    const viewers = ['ops:ada', 'ops:see']
    await expect(admit('slack:U5', viewers)).rejects.toMatchObject({ code: 'PEOPLE_UNKNOWN' })
    // Only a viewer with a Slack account can be in the group.
    expect((await admit('ops:ada', viewers))?.role).toBe(null)
    expect((await admit('slack:U5'))?.role).toBe(null)
    expect((await admit('ops:see', viewers))?.role).toBe('viewer')
  })
})
