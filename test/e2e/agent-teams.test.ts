import { describe, expect, it } from 'vitest'
import { adaptiveCardText } from '../support/adaptive-card'
import { NO_SLACK, sendForm, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { repointed } from '../support/repointed'
import { startServer } from '../support/server'
import { deployAgent } from '../support/slack-people'
import { startTeams } from '../support/teams'
import { until } from '../support/until'

const teams = endAfterAll(await startTeams())
const d = endAfterAll(await deployAgent({
  ...teams.env, ...repointed(teams.hosts), ...NO_SLACK, STREAMING_UPDATE_INTERVAL_MS: '60',
}))
/** A server that ends a long answer early */
const impatient = endAfterAll(await startServer({ ...d.env, AGENT_TIMEOUT: '10' }))

/** Returns the bot's messages in the conversation, with all their versions. */
const said = (conversation: string) => (
  teams.texts().filter(text => text.conversation === conversation).map(({ versions }) => versions)
)

/** Returns a function for the log lines written from now on. */
function linesFrom(): () => string[] {
  const before = d.server.output().length
  return () => d.server.output().slice(before).split('\n').filter(Boolean)
}

describe.each(['channel', 'direct'] as const)('a message on Teams (%s)', (place) => {
  it('is answered by words that are posted with the first of them and grow', async () => {
    // The model continues once Teams shows its text.
    const pace = (words: string) => until(
      `"${words}" shown`, () => teams.texts().at(-1)?.versions.at(-1) === words.trim(),
    )
    d.model.script({ text: ['One. ', 'Two. ', 'Three. ', 'Four.'], pace })
    const { response, conversation } = await teams.write(d.server.url, 'count', place)
    expect(response.status).toBe(200)
    await d.server.drain()
    const versions = said(conversation).at(-1)
    expect(versions!.at(-1)).toBe('One. Two. Three. Four.')
    expect(versions![0]).toBe('One.')
    expect(versions!.length).toBeGreaterThan(2)
  })

  it('is acknowledged before the answer is made', async () => {
    d.model.script({ text: 'Thinking', end: 'hang' })
    const { response, conversation } = await teams.write(impatient.url, 'think', place)
    expect(response.status).toBe(200)
    expect(said(conversation).flat().join()).not.toContain('This took too long')
    await impatient.drain()
    expect(said(conversation).flat().join()).toContain('Thinking\n\nThis took too long')
  })
})

it('a card that the bot posts in a conversation shows form text as it was typed', async () => {
  const hostile = '**bold** [bank](https://evil.example)'
  const id = await submitForm(d.server, { '# title': hostile })
  d.model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] })
  const before = teams.messages().length
  await teams.write(d.server.url, 'spam', 'channel')
  await d.server.drain()
  const card = await until(
    'the question', () => teams.messages().slice(before).find(({ card }) => JSON.stringify(card).includes('Approve')),
  )
  expect(JSON.stringify(card.card)).not.toContain('"TextBlock"')
  expect(adaptiveCardText(card.card)).toContain(`Submission: # title\n${hostile}`)
})

describe('what nobody should send to Teams\' webhook', () => {
  it('is one warning when its token is forged', async () => {
    const logged = linesFrom()
    const { response } = await teams.write(d.server.url, 'let me in', 'channel', { forged: true })
    expect(response.status).toBe(401)
    await until('the warning', () => logged().length > 0)
    expect(logged()).toEqual([expect.stringMatching(/"level":"warn".*was refused/)])
  })

  it.each([
    ['message', { actionId: 7, value: 'x' }], ['message', { actionId: 'forward', value: { id: 'x' } }],
    ['message', { actionId: 'forward', value: 42 }],
    ['adaptiveCard/action', { action: { data: { actionId: 'spam', value: ['x'] } } }], ['adaptiveCard/action', null],
    ['adaptiveCard/action', 'odd'],
    ['task/fetch', { data: { actionId: 'edit', value: 42 } }], ['task/fetch', null],
    ['task/submit', { data: { dialog: { modal: { type: 'modal' } } } }], ['task/submit', { data: 42 }],
  ] as const)('is one warning when a click (%s) carries %j, and nothing happens', async (type, value) => {
    await until('a card', async () => teams.messages().length > 0 || void await sendForm(d.server, { name: 'Ada' }))
    await d.server.drain()
    const logged = linesFrom()
    expect((await teams.press(d.server.url, type, value)).status).toBe(200)
    await d.server.drain()
    await until('the warning', () => logged().length > 0)
    expect(logged()).toEqual([expect.stringMatching(/"level":"warn".*has no effect/)])
  })
})
