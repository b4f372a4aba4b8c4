import { expect, it } from 'vitest'
import { submit } from '../support/deployment'
import { withDiscord } from '../support/discord/deployed'
import type { DiscordMessage } from '../support/discord/types'
import { SUPPRESS_EMBEDS } from '../support/discord/validate'
import { deployAgent } from '../support/slack-people'
import { until } from '../support/until'

const { d, discord } = await withDiscord(deployAgent, { STREAMING_UPDATE_INTERVAL_MS: '60' })
const endpoint = `${d.server.url}/api/webhooks/discord`

/** Mentions the bot; resolves with the id of the thread that it opens. */
async function mention(text: string): Promise<string> {
  const { id } = discord.emitMessage({ content: `<@${discord.applicationId}> ${text}` })
  await until('the thread', () => discord.requests.some(({ path, status }) => path.endsWith(`/messages/${id}/threads`)
    && status === 200))
  return id
}

const said = (thread: string) => discord.messages(thread).filter(({ author }) => author.id === discord.applicationId)
const texts = (thread: string) => said(thread).map(({ content }) => content).filter(Boolean)
const answered = (thread: string, text: string) => until(
  `"${text.slice(0, 40)}" in ${JSON.stringify(texts(thread))}`, () => texts(thread).includes(text),
)

const question = (thread: string) => until(
  'a question', () => said(thread).find(({ components }) => components.length > 0),
)
const buttonOf = ({ components }: DiscordMessage, action: string) => (
  components[0]!.components!.find(({ custom_id }: { custom_id?: string }) => (
    String(custom_id).startsWith(`${action}\n`)
  ))!.custom_id as string
)

it.each(['- ', '1. ', '# ', '> '])('an answer that begins with %j is posted once there is something to see', async (mark) => {
  d.model.script({ text: [mark, 'Ada ', 'and Grace'], pauseMs: 50 })
  const thread = await mention('who wrote?')
  await until('the answer', () => texts(thread).some(text => /Grace\W*$|That did not work/.test(text)))
  expect(texts(thread)).toEqual([expect.stringMatching(/Ada and Grace\W*$/)])
})

it('an address of email is shown as it is, and takes no more room than that', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `- Ada_${index} <ada_${index}@mail.example.com>, a_b@c.example`)
  const text = lines.join('\n')
  d.model.script({ text: [text] })
  const thread = await mention('who wrote?')
  await until('the last line', () => texts(thread).some(said => /Ada_39 .*c\.example$/.test(said)))
  const shown = lines.map(line => line.replace(/[<>]/g, ''))
  expect(texts(thread).flatMap(said => said.split('\n')).filter(Boolean)).toEqual(shown)
})

it('a table that is too wide for a message loses nothing', async () => {
  const cell = (index: number) => index === 5 ? 'long '.repeat(80).trim() : 'short'
  const rows = Array.from({ length: 12 }, (_, index) => `| ${index} | ${cell(index)} | end ${index} |`)
  d.model.script({ text: [['| id | text | end |', '|---|---|---|', ...rows].join('\n')] })
  const thread = await mention('a table, please')
  await until('the last row', () => texts(thread).some(said => /end 11 \|\W*$/.test(said) || said.endsWith('...')))
  for (const row of rows) expect(texts(thread).join('\n')).toContain(row)
})

it('a name behind an @ is shown as it is, and pings nobody', async () => {
  d.model.script({ text: ['Ask @ada-lovelace, @acme, <@123456789012345678> or @every', 'one.'] })
  const thread = await mention('who knows?')
  await answered(thread, 'Ask @ada-lovelace, @acme, <@123456789012345678> or @\u200Beveryone.')
  const sent = discord.requests.filter(({ body }) => body.includes('@acme'))
  expect(sent.map(({ body }) => (JSON.parse(body) as { allowed_mentions: object }).allowed_mentions)).toEqual(
    sent.map(() => ({ parse: [] })),
  )
})

it('an address that a form talked the model into is text: nothing unfurls, no label hides it, no image is fetched', async () => {
  const pace = () => until('the first words', () => discord.requests.some(({ body }) => body.includes('"See')))
  d.model.script({ text: [
    'See [the ', 'bank](https://ev', 'il.example/?d=ada) and ![', 'x](https://evil.example/p.png', '?d=ada). ',
    'Also https://evil', '.example/ada',
  ], pauseMs: 120, pace })
  const thread = await mention('what does it say?')
  await answered(
    thread,
    'See the bank (`https://evil.example/?d=ada`) and x (`https://evil.example/p.png?d=ada`). Also `https://evil.example/ada`',
  )
  const sent = discord.requests.filter(({ method, path }) => ['POST', 'PATCH'].includes(method)
    && path.includes(`/channels/${thread}/messages`)).map(({ body }) => (
    JSON.parse(body) as { flags?: number, content: string }
  ))
  expect(sent.length).toBeGreaterThan(1)
  for (const { flags = 0, content } of sent) {
    expect(flags & SUPPRESS_EMBEDS, content).toBe(SUPPRESS_EMBEDS)
    expect(content.replace(/`[^`]*`/g, '')).not.toMatch(/https?:|\]\(/)
  }
})

it('an answer that is longer than a message takes several, and loses nothing', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index} ${'x'.repeat(60)}`)
  d.model.script({ text: lines.join('\n').match(/[^]{1,37}/g)! })
  const thread = await mention('everything')
  await until(
    'the last line', () => texts(thread).at(-1)?.includes('Line 59') && texts(thread).at(-1)?.endsWith('x'.repeat(60)),
  )
  expect(texts(thread).length).toBeGreaterThan(2)
  expect(texts(thread).every(text => text.length <= 2000)).toBe(true)
  expect(texts(thread).join('\n')).toBe(lines.join('\n'))
})

it('somebody else who clicks is told privately, and nothing happens', async () => {
  const { id } = await submit(d, { name: 'Grace' })
  d.model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] })
  const thread = await mention('spam')
  const card = await question(thread)
  const answer = await discord.click(endpoint, card, buttonOf(card, 'approve'), {
    user: { ...discord.user, id: '999999999999999999', username: 'mallory' },
  })
  expect(answer.body).toMatchObject({ type: 4, data: { flags: 64, content: 'Only Ada Lovelace may decide this.' } })
  expect(said(thread).find(message => message.id === card.id)!.components).toHaveLength(1)
  expect(d.server.output()).not.toContain(`"submission":"${id}","action":"spam"`)
})
