import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Chat } from 'chat'
import { describe, expect, test } from 'vitest'
import {
  ACTION_IDS, ACTIONS, ASSIGNMENT_ACTIONS, BUTTONS, INPUT_ACTIONS, isInstant, isOffered, LIST_ACTIONS, opensForm,
  TYPED_ACTIONS, undoOf, type ActionFacts,
} from '../../../shared/actions'
import { COMMANDS } from '../../../shared/commands'
import { actionLabel, actionNote, english, formTitle, messagesOf } from '../../../shared/texts'
import { renderCard } from '../../../server/adapters/chat/cards'
import { parseAssignment } from '../../../server/domain/conversation/assignments'
import { registerHome } from '../../../server/handlers/home'
import { registerReview } from '../../../server/handlers/review'
import { ACTION_RULES, actionRequestSchema } from '../../../server/domain/review/actions'
import { platforms } from '../../../server/platforms/registry'
import { only } from '../../fakes/only'
import { openView } from '../../fixtures/views'

const docs = (page: string) => readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
const require = createRequire(import.meta.url)
const { icons, aliases } = require('@iconify-json/lucide/icons.json') as Record<'icons' | 'aliases', object>

const iconNames = new Set([...Object.keys(icons), ...Object.keys(aliases)].map(name => `i-lucide-${name}`))

/** Every possible combination of facts about a submission */
const anyFacts: ActionFacts[] = (['open', 'held', 'leaving', 'spam', null] as const).flatMap(state => (
  [false, true].flatMap(isReturned => [false, true].flatMap(isErasable => (
    [undefined, 'nobody', 'viewer', 'another'] as const).map(assignee => ({ state, isReturned, isErasable, assignee })),
  ))
))

describe.each(ACTION_IDS)('%s', (id) => {
  const { label, page, card, command, done, failed, note, chat, many, isBulk } = ACTIONS[id]

  test('has its words, and an icon that exists', () => {
    for (const text of [label, page.label, done]) expect(text).toMatch(/^[A-Z].+/)
    expect(iconNames).toContain(page.icon)
    expect(done).toMatch(/\.$/)
    if (isInstant(id)) expect(failed).toMatch(/^It /)
    expect(note !== undefined).toBe(ACTION_RULES[id].event === 'noted')
  })

  test.each(['en', 'de'])('has a text for its button on cards, and for its note, in the file of %s', (language) => {
    const messages = messagesOf(language)
    expect(messages[`card.action.${id}.label`] !== undefined).toBe(card !== undefined)
    expect(messages[`card.action.${id}.note`] !== undefined).toBe(note !== undefined)
  })

  test('has the same English words on cards and pages', () => {
    expect(actionLabel(id, english)).toBe(label)
    if (note !== undefined) expect(actionNote(id, english)).toBe(note)
    if (opensForm(id)) expect(formTitle(id, english)).toBe(label)
  })

  test('is offered on some submission', () => {
    expect(anyFacts.some(facts => isOffered(id, facts))).toBe(true)
  })

  test('fits into the button of every platform', () => {
    if (card) expect(card.short ?? card.id).toMatch(/^\w{1,8}$/)
  })

  test('is done to rows only with a command, and only if the API does it to many', () => {
    if (many) expect([command, isBulk]).toEqual([expect.anything(), true])
  })

  test('fits into the list of commands', () => expect((chat ?? '').length).toBeLessThanOrEqual(100))

  test('is in the API, which names it where it refuses others', () => {
    const input = { resend: { to: 'ada@example.com' }, edit: { values: { f0: 'Ada' } } }[id as 'edit'] ?? {}
    expect(actionRequestSchema.safeParse({ action: id, ...input, press: 'one' })).toEqual({
      success: true, data: { action: id, ...input, press: 'one' },
    })
    const refusal = actionRequestSchema.safeParse({ action: 'nothing' }).error!.issues[0]!.message
    expect(refusal).toContain(`{"action":"${id}"`)
  })

  test('is in the docs, with its label and its name in the API', () => {
    expect(docs('decisions')).toContain(`| *${label}* |`)
    expect(docs('api')).toContain(`\`${id}\``)
    if (command) expect(docs('ops')).toMatch(new RegExp(`\\| \`${command.key}\` \\|`))
    if (chat) expect(docs('conversation')).toContain(`\`${id} <id>\``)
  })

  test('is the only one with its key on any submission', () => {
    for (const facts of anyFacts.filter(facts => isOffered(id, facts))) {
      const others = ACTION_IDS.filter(other => other !== id && isOffered(other, facts))
      if (command) expect(others.map(other => ACTIONS[other].command?.key)).not.toContain(command.key)
    }
  })
})

test('each decision is taken back by one action', () => {
  expect(Object.fromEntries(ACTION_IDS.map(id => [id, undoOf(ACTIONS[id])]))).toMatchObject({
    forward: 'undo', edit: 'undo', resend: 'undo', spam: 'reopen', take: null, erase: null,
  })
})

describe.each(platforms)('on $label', (platform) => {
  const actions = Object.values(ACTIONS).flatMap(({ card, label }) => card ? [{ id: card.id, label }] : [])

  test.each(actions)('a card has $label as a button, or leads to the pages for it', ({ id, label }) => {
    const { children } = renderCard({ ...openView({ name: 'Ada' }), actions: [{ id, label }] }, platform).card
    const buttons = children.flatMap(child => child.type === 'actions' ? child.children : [])
    if (platform.modal || id !== ACTIONS.edit.card!.id) expect(buttons).toMatchObject([{ id, label, value: 'one' }])
    else expect(children).toContainEqual(expect.objectContaining({ type: 'link', label: `${label} on the web` }))
  })
})

test('the bot listens to every button of cards and home pages, and to every form', () => {
  const heard: string[] = []
  const bot = only<Chat>({
    onAction: (...[ids]: unknown[]) => void heard.push(...[ids].flat() as string[]),
    onModalSubmit: (...[ids]: unknown[]) => void heard.push(...(ids as string[]).map(id => `form ${id}`)),
    onAppHomeOpened: () => {},
  })
  registerReview(bot, {} as never)
  registerHome(bot, {} as never)
  expect(heard).toEqual([
    ...Object.keys(BUTTONS), ...INPUT_ACTIONS.map(id => `form ${ACTIONS[id].card!.id}`),
    ...ASSIGNMENT_ACTIONS.map(id => `queue_${ACTIONS[id].card!.id}`),
  ])
})

test('every typed action is a command that is understood', () => {
  for (const id of TYPED_ACTIONS) {
    expect(COMMANDS.map(({ name }) => name)).toContain(id)
    expect(parseAssignment(`@bot ${id} 0b1f2c3d`)).toMatchObject({ id: '0b1f2c3d', whom: 'me' })
  }
})

test('rows of the list have the actions that need no form, in the order of cards', () => {
  expect(LIST_ACTIONS).toEqual(['forward', 'spam', 'take'])
})
