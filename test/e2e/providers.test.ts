import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import type { RowPage, SubmissionDetails } from '../../shared/types/submissions'
import { parseJson } from '../../server/domain/json'
import type { SubmissionData } from '../../server/ports/submission'
import { dataOf, isOneChange, PROVIDERS, type ProviderFixture } from '../fixtures/providers'
import { blockText, viewProblems } from '../support/block-kit'
import { cardNow, cardOf, click, deploy, idOf, introduce, openEdit, submitEdit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { discordText } from '../support/discord/edit-form'
import { endAfterAll } from '../support/lifetime'
import { seed, waiting } from '../support/seed'
import type { Block } from '../support/slack'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const NEW_TEXT = 'Something else'

const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deploy({ NODE_ENV: 'development', CARD_INTERVAL_MS: '0', ...discord.env }))
const redis = endAfterAll(await createClient({ url: d.redis.url }).connect())
await introduce(d)

/** Sends the body as the provider does; resolves with the submission's id. */
async function send({ type, text }: ProviderFixture): Promise<string> {
  const body = type.startsWith('multipart/') ? text.replace(/\r?\n/g, '\r\n') : text
  return idOf(await fetch(`${d.server.url}/api/form`, { method: 'POST', headers: { 'content-type': type }, body }))
}

async function get<T>(path: string): Promise<T> {
  return await (await fetch(`${d.server.url}/api/submissions${path}`)).json() as T
}

/** A question, and its answer for people */
type Shown = readonly [label: string, value: string]

/** Returns a text without escapes and invisible characters, which keep a platform from interpreting it. */
const plain = (text: string) => text.replace(/[\u2060\u200A\u200B]/g, '').replace(/\\(.)/g, '$1')

/** Fields of a Slack card: a bold label, and the value below it */
function onSlack(blocks: readonly Block[]): Shown[] {
  const sections = blocks.filter(({ type }) => type === 'rich_text').flatMap(({ elements }) => elements as Block[])
  return sections.map(({ elements }) => elements as Block[]).filter(([first]) => first!.style?.bold).map(
    ([label, value]) => [String(label!.text), String(value!.text).trim()],
  )
}

/** Fields of the embed of a Discord card */
function onDiscord(id: string): Shown[] {
  const embed = discord.messages().find(message => message.id === id)!.embeds[0] as unknown as Block
  return (embed.fields as Block[]).map(({ name, value }) => [plain(String(name)), plain(String(value))])
}

/** Fields of an email's text: a label at the start of a line, the value up to the next label */
function inEmail(text: string, labels: readonly string[]): Shown[] {
  const starts = labels.reduce<number[]>(
    (earlier, label) => [...earlier, text.indexOf(`\n${label}:`, earlier.at(-1) ?? 0)], [],
  )
  expect(starts).not.toContain(-1)
  return labels.map((label, index) => [label, text.slice(starts[index]! + label.length + 2, starts[index + 1])])
}

/** Expects the provider's questions in order, each with its answer, and neither JSON nor technical values. */
function expectRead(shown: readonly Shown[], { answers, machinery }: ProviderFixture): void {
  const labels = answers.map(([label]) => label)
  const asked = shown.filter(([label]) => labels.includes(label))
  expect(asked.map(([label]) => label)).toEqual(labels)
  for (const [index, [, texts]] of answers.entries()) {
    for (const text of [texts].flat()) expect(asked[index]![1]).toContain(text)
  }
  const all = shown.flat().join('\n')
  expect(['{"', '[object', ...machinery].filter(text => all.includes(text))).toEqual([])
}

/** Returns the body that the endpoint gets without edits. Its JSON may contain escaped slashes, as PHP sends them. */
async function bodyOf(fixture: ProviderFixture): Promise<string> {
  const { type, text } = fixture
  return type === 'application/json' ? text.replaceAll('\\/', '/') : JSON.stringify(await dataOf(fixture))
}

const deliveredBodies = (id: string) => d.endpoint.requests.filter(
  ({ headers }) => String(headers['webhook-id']).startsWith(id),
).map(({ body }) => body)

const submissions: { fixture: ProviderFixture, id: string, forwardedId: string }[] = []
for (const fixture of PROVIDERS) {
  submissions.push({ fixture, id: await send(fixture), forwardedId: await send(fixture) })
}
await d.server.drain()
await postJson(`${d.server.url}/api/submissions/decisions`, {
  ids: submissions.map(({ forwardedId }) => forwardedId), action: 'forward',
})
await d.server.drain()
const emails = await d.resend.emails()
const { rows } = await get<RowPage>('?limit=100')

describe.each(submissions)('$fixture.provider', ({ fixture, id, forwardedId }) => {
  test('is questions and answers on its cards', async () => {
    const [{ text: notification, blocks }, message] = [await cardOf(d, id), discord.cardOf(id)!]
    expectRead(onSlack(blocks), fixture)
    expectRead(onDiscord(message.id), fixture)
    for (const text of [notification, blockText(blocks), discordText(message)]) expect(text).not.toContain('{"')
  })

  test('is questions and answers in the list and on its page, which has all that was sent', async () => {
    const { fields, technical, sent } = await get<SubmissionDetails>(`/${id}`)
    const shown = fields.map(({ label, shown, value }): Shown => [label, shown ?? value])
    expectRead(shown, fixture)
    const { preview, more } = rows.find(row => row.id === id)!
    expect(preview.map(({ label }) => label)).toEqual(fields.slice(0, fields.length - more).map(({ label }) => label))
    const previewAnswers = fixture.answers.filter(([question]) => preview.some(({ label }) => label === question))
    expect(previewAnswers).not.toEqual([])
    expectRead(preview.map(({ label, value }) => [label, value]), { ...fixture, answers: previewAnswers })
    expect(fixture.machinery.filter(text => !(JSON.stringify(technical) + sent).includes(text))).toEqual([])
    if (sent !== null) expect(sent).toBe(await bodyOf(fixture))
  })

  test('is mailed as questions and answers, in the name of its sender, and posted as it was sent', async () => {
    const [email] = emails.filter(({ text }) => text.includes(forwardedId))
    expectRead(inEmail(email!.text, fixture.answers.map(([label]) => label)), fixture)
    expect(['{"', '{&quot;'].filter(text => (email!.text + email!.html).includes(text))).toEqual([])
    for (const name of [fixture.name!].flat()) expect(email!.subject).toContain(name)
    expect(email!.reply_to).toEqual([fixture.email])
    expect(deliveredBodies(forwardedId)).toEqual([await bodyOf(fixture)])
  })

  test('is edited on Slack in one value, and nothing else of it changes', async () => {
    const [card, { id: discordId }] = [await cardOf(d, id), discord.cardOf(id)!]
    const view = await openEdit(d, card, id)
    expect(viewProblems(view)).toEqual([])
    const input = (view.blocks as Block[]).find(({ element }) => element?.initial_value === fixture.edit)!
    expect(await submitEdit(d, view, { [input.block_id]: NEW_TEXT })).toEqual({})
    const [body, ...others] = deliveredBodies(id)
    expect(isOneChange(await bodyOf(fixture), body!, fixture.edit!, NEW_TEXT)).toBe(true)
    expect(others).toEqual([])
    const label = `${input.label.text} (edited)`
    const value = `${NEW_TEXT}\n(was: ${fixture.edit})`
    for (const shown of [onSlack((await cardNow(d, card)).blocks), onDiscord(discordId)]) {
      expect(shown).toContainEqual([label, value])
    }
  })
})

/** Returns the texts that version 64387b3a stored for a submission after an edit of a whole outer field. */
async function oldTexts(fixture: ProviderFixture): Promise<{ key: string, data: string, before: string }> {
  const body = await bodyOf(fixture)
  const [key, value] = Object.entries(await dataOf(fixture)).find(
    ([, each]) => JSON.stringify(each).includes(fixture.edit!),
  )!
  const valueText = JSON.stringify(value)
  const data = body.replace(valueText, valueText.replace(fixture.edit!, NEW_TEXT))
  return { key, data, before: `{"${key}":${valueText}}` }
}

const WITH_OUTER_FIELDS = [
  'basin.json', 'elementor-advanced.json', 'jotform.json', 'tally.json', 'typeform.json',
]

describe.each(
  PROVIDERS.filter(({ file }) => WITH_OUTER_FIELDS.includes(file)),
)('a submission that the previous version stored: $provider', (fixture) => {
  test('is read on its cards, on its page and in its email, and posted as it is stored', async () => {
    const { key, data, before } = await oldTexts(fixture)
    const due = { attempts: 0, dueAt: Date.now() }
    const submission = waiting({
      data: parseJson(data) as SubmissionData, edited: [key], before: parseJson(before) as SubmissionData,
      cards: [], work: ['slack', 'discord'].map(room => ({ key: `post:${room}`, kind: 'post', room, ...due })),
    })
    const { id } = submission
    await seed(d.redis.url, [submission])
    expect(await redis.get(`{triage}:d:${id}`)).toBe(`[${data},null,${before}]`)
    const editedFixture: ProviderFixture = { ...fixture, answers: fixture.answers.map(([label, texts]) => (
      texts === fixture.edit ? [`${label} (edited)`, [NEW_TEXT, `(was: ${texts})`]] : [label, texts]
    )) }
    const card = await cardOf(d, id)
    const { id: discordId } = await until('the Discord card', () => discord.cardOf(id))
    await d.server.drain()
    const cards = async () => [onSlack((await cardNow(d, card)).blocks), onDiscord(discordId)]
    for (const shown of await cards()) expectRead(shown, editedFixture)
    const { fields } = await get<SubmissionDetails>(`/${id}`)
    const [field, ...others] = fields.filter(({ edited }) => edited)
    expect(field).toMatchObject({ value: NEW_TEXT, was: fixture.edit })
    expect(others).toEqual([])
    await click(d, card, 'forward', id)
    for (const shown of await cards()) expectRead(shown, editedFixture)
    expect(blockText((await cardNow(d, card)).blocks)).toContain(`Edited: ${field!.label}`)
    expect(deliveredBodies(id)).toEqual([data])
    const email = (await d.resend.emails()).find(({ text }) => text.includes(id))!
    expect(email.text).toContain(NEW_TEXT)
    expect(email.reply_to).toEqual([fixture.email])
  })
})
