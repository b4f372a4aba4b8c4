import { beforeEach, describe, expect, it } from 'vitest'
import { adaptiveCardActions, adaptiveCardText, type Json } from '../support/adaptive-card'
import { deploy, emailsAbout, failureOf, idOf, NO_SLACK, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { repointed } from '../support/preloaded'
import { startTeams, type SignOptions, type TeamsMessage } from '../support/teams'
import { until } from '../support/until'

const teams = endAfterAll(await startTeams())
// Teams alone: no variable of Slack is set.
const d = endAfterAll(await deploy({ ...teams.env, ...repointed(teams.hosts), ...NO_SLACK, RETRY_BASE_MS: '200' }))
beforeEach(() => { teams.fault = () => undefined })

const FORM = { name: 'Ada Lovelace', message: 'Two engines,\nplease.', tags: [1, 2] }

async function submitForm(data: object = FORM): Promise<{ id: string, message: TeamsMessage }> {
  const id = await idOf(await sendForm(d.server, data))
  return { id, message: await until(`the card of ${id}`, () => teams.cardOf(id)) }
}

const now = ({ id }: TeamsMessage) => teams.messages().find(message => message.id === id)!
const shown = (message: TeamsMessage) => adaptiveCardText(now(message).card)

async function press(
  message: TeamsMessage, title: string, options?: SignOptions,
): Promise<{ status: number, task: Json | undefined }> {
  const response = await teams.click(d.server.url, message, title, options)
  const text = await response.text()
  await d.server.drain()
  return { status: response.status, task: text ? (JSON.parse(text) as Json).task : undefined }
}

async function submitDialog(dialog: Json, typed: Record<string, string>): Promise<Json | undefined> {
  const response = await teams.submit(d.server.url, dialog, typed)
  const text = await response.text()
  await d.server.drain()
  expect(response.status).toBe(200)
  return text ? (JSON.parse(text) as Json).task : undefined
}

async function openDialog(message: TeamsMessage): Promise<Json> {
  const { task } = await press(message, 'Edit & Forward')
  expect(task).toMatchObject({ type: 'continue', value: { title: 'Edit & Forward' } })
  return task!.value.card.content as Json
}

/** Makes the next `times` edits of this card fail as "not found"; returns a function that counts the card's edits. */
function unfound({ id }: TeamsMessage, times: number): () => number {
  let edits = 0
  teams.fault = ({ method, path }) => method === 'PUT' && path.includes(encodeURIComponent(id)) && edits++ < times
    ? { status: 404, body: '{"error":{"code":"ActivityNotFoundInConversation"}}' }
    : undefined
  return () => edits
}

describe('a card on Teams', () => {
  it('shows the form as it was typed, and what a notification says', async () => {
    const hostile = '**bold** [bank](https://evil.example) <at>Everyone</at> {{DATE(2026-01-01T00:00:00Z)}}'
    const { message } = await submitForm({ '# title': hostile })
    expect(shown(message).replaceAll('\u2060', '')).toContain(`# title\n${hostile}`)
    expect(JSON.stringify(message.card)).not.toContain('"TextBlock"')
    expect(message.summary).toBe(`New Form Submission: # title: ${hostile.slice(0, 79)}…`)
  })

  it('is edited in a dialog and forwarded as edited; an emptied input is emptied', async () => {
    const { id, message } = await submitForm()
    const dialog = await openDialog(message)
    expect(dialog.body).toMatchObject([
      { id: 'f0', label: 'name', value: FORM.name }, { id: 'f1', isMultiline: true, value: FORM.message }, { id: 'f2' },
    ])
    expect(await submitDialog(dialog, { f0: 'Grace Hopper', f1: '' })).toBeUndefined()
    await until('the card closed', () => shown(message).includes('Edited and forwarded by Ada Lovelace on Teams'))
    const { body } = d.endpoint.requests.find(({ headers }) => String(headers['webhook-id']).startsWith(id))!
    expect(JSON.parse(body)).toEqual({ ...FORM, name: 'Grace Hopper', message: '' })
  })

  it('keeps what was typed when it cannot be taken, until it can', async () => {
    const { id, message } = await submitForm()
    const refused = await submitDialog(await openDialog(message), { f0: 'Grace Hopper', f2: 'no list' })
    const again = refused!.value.card.content as Json
    expect(adaptiveCardText(again)).toBe('This field is a JSON list. Keep it valid, like ["a", "b"].')
    expect(again.body.find((element: Json) => element.id === 'f0').value).toBe('Grace Hopper')
    expect(await submitDialog(again, { f2: '[3]' })).toBeUndefined()
    await until('the email', () => emailsAbout(d, id).length === 1)
  })

  it('that was decided meanwhile is told in the dialog, and decides nothing more', async () => {
    const { id, message } = await submitForm()
    const dialog = await openDialog(message)
    const stale = { ...message }
    await press(message, 'Mark as Spam')
    const told = await submitDialog(dialog, { f0: 'Too late' })
    expect(adaptiveCardText(told!.value.card.content)).toMatch(/^Marked as spam by Ada Lovelace on Teams/)
    expect((await press(stale, 'Edit & Forward')).task).toEqual({
      type: 'message', value: expect.stringMatching(/^Marked as spam by Ada Lovelace on Teams, /) as string,
    })
    expect((await press(stale, 'Forward Submission')).status).toBe(200)
    expect(emailsAbout(d, id)).toHaveLength(0)
  })
})

describe('Teams that refuses', () => {
  const isPost = ({ method, path }: { method: string, path: string }) => method === 'POST'
    && path.endsWith('/activities')

  it('with 503 is asked again', async () => {
    let refused = 0
    teams.fault = request => isPost(request) && refused++ === 0 ? { status: 503 } : undefined
    await submitForm({ name: 'patient' })
    expect(refused).toBe(2)
  })

  it('an edit because the card is not there is asked again: Teams says so of cards that are', async () => {
    const { message } = await submitForm({ name: 'secret' })
    const edits = unfound(message, 3)
    await press(message, 'Mark as Spam')
    await until('the card closed', () => adaptiveCardActions(now(message).card).length === 0)
    expect([edits(), shown(message)]).toEqual([4, expect.not.stringContaining('secret')])
  })

  it('… six times; whoever presses the card then, or before, has it edited once more', async () => {
    const { id, message } = await submitForm({ name: 'secret' })
    const edits = unfound(message, 6)
    await press(message, 'Mark as Spam')
    await until('the end of it', () => failureOf(d, id, 'Teams answered 404')?.again === false && edits() === 6)
    expect([adaptiveCardActions(now(message).card).length > 0, shown(message)]).toEqual([
      true, expect.stringContaining('secret'),
    ])
    await press(message, 'Forward Submission')
    await until('the card closed', () => adaptiveCardActions(now(message).card).length === 0)
    expect([edits(), shown(message)]).toEqual([7, expect.not.stringContaining('secret')])
  })
})

it('logs one JSON line per event, without tokens or form data', () => {
  const lines = d.server.output().trim().split('\n').filter(line => !line.startsWith('Listening on'))
  for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow()
  expect(d.server.output()).not.toMatch(/Two engines|teams-client-secret|eyJ/)
})

describe('what a client makes up', () => {
  it('is not looked up, and not logged when the store is away', async () => {
    await submitForm()
    const value = `Ada ${'x'.repeat(5000)}`
    d.redis.pause()
    try {
      await teams.press(d.server.url, 'message', { actionId: 'forward', value })
      await teams.press(d.server.url, 'task/fetch', { data: { actionId: 'edit', value } })
      await d.server.drain()
    }
    finally {
      d.redis.resume()
    }
    expect(d.server.output()).not.toContain('x'.repeat(100))
    await until('the store', async () => (await fetch(`${d.server.url}/api/ready`)).status === 200)
  })
})

/** Returns a function that returns the log lines written from now on. */
function linesFrom(): () => string[] {
  const before = d.server.output().length
  return () => d.server.output().slice(before).split('\n').filter(Boolean)
}

describe('what nobody should send to Teams\' webhook', () => {
  it('is one warning when its token is forged', async () => {
    const logged = linesFrom()
    const { response } = await teams.write(d.server.url, 'let me in', 'channel', { forged: true })
    expect(response.status).toBe(401)
    await until('the warning', () => logged().length > 0)
    expect(logged()).toEqual([expect.stringMatching(/"level":"warn".*Refused a webhook/)])
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

let sent = 1_800_000_000_000

/** Returns the answer to a user who mentions the bot. */
async function answerTo(text: string): Promise<string> {
  const before = teams.messages().length
  const id = String(++sent)
  const { TEAMS_APP_ID, TEAMS_CHANNEL_ID } = teams.env
  const { status } = await teams.send(d.server.url, {
    id, type: 'message', text, replyToId: undefined,
    conversation: { id: `${TEAMS_CHANNEL_ID};messageid=${id}`, conversationType: 'channel', isGroup: true },
    entities: [{
      type: 'mention', text: '<at>Form Triage</at>', mentioned: { id: `28:${TEAMS_APP_ID}`, name: 'Form Triage' },
    }],
  })
  expect(status).toBe(200)
  await d.server.drain()
  return JSON.stringify(teams.messages().slice(before))
}

it.each([
  ['before the words', '<at>Form Triage</at> status'], ['without a space', '<at>Form Triage</at>status'],
  ['behind them', 'status <at>Form Triage</at>'],
  ['in both places', '<at>Form Triage</at>&nbsp;status <at>Form Triage</at>'],
])('a command is understood whatever the app is called, with its name %s', async (_, text) => {
  const said = await answerTo(text)
  expect(said).toContain('Connected: ')
  expect(said).not.toContain('did not understand')
})
