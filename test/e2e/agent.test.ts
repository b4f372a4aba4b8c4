import { afterEach, describe, expect, it } from 'vitest'
import type { DiscordMessage } from '../support/discord/types'
import { SUPPRESS_EMBEDS } from '../support/discord/validate'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { endAfterAll } from '../support/lifetime'
import { startModelServer } from '../support/model-server'
import { until } from '../support/until'

const model = endAfterAll(await startModelServer())
const d = await deployEverywhere(() => ({ env: {
  AI_BASE_URL: model.url, AI_API_KEY: 'model-key', AI_MODEL: 'scripted', STREAMING_UPDATE_INTERVAL_MS: '60',
} }))
afterEach(() => expect(model.left()).toBe(0))

const HOSTILE = '**bold** @everyone [bank](https://evil.example)'

describe.each(d.talks)('on $platform', ({ platform, double, mention, say, texts, buttons, press, inPrivate }) => {
  const { label } = PLATFORMS[platform]!
  /** Waits until the bot has said this at a place. */
  const said = (place: string, words: string) => until(words, async () => {
    await d.server.drain()
    return (await texts(place)).some(text => text.includes(words))
  })
  const sent = (before: number, words: RegExp) => double.requests.slice(before).filter(({ body }) => words.test(body))

  it('a mention is acknowledged before it is answered in the words of the model', async () => {
    const gate = Promise.withResolvers<undefined>()
    model.script({ text: ['Two forms ', 'wait.'], pace: () => gate.promise })
    const place = await mention('what waits?')
    gate.resolve(undefined)
    await said(place, 'Two forms wait.')
    expect(await texts(place)).toEqual(['Two forms wait.'])
  })

  if (say) it('the conversation goes on with what was said before', async () => {
    model.script({ text: 'Hello.' }, { text: 'You said hi.' })
    const place = await mention('hi')
    await said(place, 'Hello.')
    await say(place, 'what did I say?')
    await said(place, 'You said hi.')
    expect(model.requests[1]!.messages.slice(-2)).toEqual([
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: expect.stringContaining('what did I say?') as string },
    ])
  })

  if (['discord', 'teams'].includes(platform)) it('an answer is posted with its first words and grows', async () => {
    const before = double.requests.length
    // The model continues only after its previous words were posted.
    const pace = (words: string) => until(words, () => double.requests.some(({ body }) => body.includes(words.trim())))
    model.script({ text: ['Uno. ', 'Due. ', 'Tre. ', 'Quattro.'], pace })
    await said(await mention('count'), 'Uno. Due. Tre. Quattro.')
    const [first, ...more] = sent(before, /Uno\./)
    expect([first!.body.includes('Due'), more.length > 1]).toEqual([false, true])
  })

  it('help is answered without the model, with buttons that work', async () => {
    model.script()
    const place = await mention('help')
    await said(place, 'Ask me in your own words')
    await press(place, 'Where am I?')
    await said(place, `You are talking to me on ${label}.`)
    expect(model.requests).toEqual([])
  })

  it('a write waits on a card that shows form text as it was typed, and happens once it is approved', async () => {
    const id = await d.send('', { '# title': HOSTILE })
    model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] }, { text: 'It is done.' })
    const place = await mention('mark it as spam')
    await until('the question', async () => (await buttons(place)).includes('Approve'))
    await d.server.drain()
    expect((await texts(place)).join('\n').replace(/[\u2060\u200B\u200A]/g, '')).toMatch(
      /Submission: # title[\s:*]+\*\*bold\*\* @everyone \[bank\]\(https:\/\/evil\.example\)/,
    )
    expect((await d.shown(id)).state).toBe('waiting')
    await press(place, 'Approve')
    await said(place, 'It is done.')
    await said(place, `Approved by Ada Lovelace on ${label}`)
    expect(d.server.output()).toContain(`"submission":"${id}","action":"spam","edited":false,"platform":"${label}"`)
  })

  // On Discord, private messages never reach the model.
  if (platform === 'discord') return

  it('a stranger who writes in private gets the script, and no call of the model', async () => {
    model.script()
    const before = double.requests.length
    await inPrivate('hello', true)
    await until('the script', () => sent(before, /form.triage.bot/).length > 0)
    await d.server.drain()
    expect(model.requests).toEqual([])
  })

  it('somebody of the room who writes in private gets the agent', async () => {
    model.script({ text: 'Certainly.' })
    const before = double.requests.length
    await inPrivate('hello')
    await until('the answer', () => sent(before, /Certainly/).length > 0)
    await d.server.drain()
    expect(d.server.output()).not.toContain('membership.unknown')
  })
})

const { discord } = d.doubles
const endpoint = `${d.server.url}/api/webhooks/discord`

/** Mentions the bot; resolves with the id of the thread that it opens. */
async function mentionOnDiscord(text: string): Promise<string> {
  const { id } = discord.emitMessage({ content: `<@${discord.applicationId}> ${text}` })
  await until('the thread', () => discord.requests.some(({ path, status }) => path.endsWith(`/messages/${id}/threads`)
    && status === 200))
  return id
}

const saidIn = (thread: string) => discord.messages(thread).filter(({ author }) => author.id === discord.applicationId)
const texts = (thread: string) => saidIn(thread).map(({ content }) => content).filter(Boolean)
const answered = (thread: string, text: string) => until(
  `"${text.slice(0, 40)}" in ${JSON.stringify(texts(thread))}`, () => texts(thread).includes(text),
)

const question = (thread: string) => until(
  'a question', () => saidIn(thread).find(({ components }) => components.length > 0),
)
const buttonOf = ({ components }: DiscordMessage, action: string) => (
  components[0]!.components!.find(({ custom_id }: { custom_id?: string }) => (
    String(custom_id).startsWith(`${action}\n`)
  ))!.custom_id as string
)

it.each(['- ', '1. ', '# ', '> '])('an answer that begins with %j is posted once there is something to see', async (mark) => {
  model.script({ text: [mark, 'Ada ', 'and Grace'], pauseMs: 50 })
  const thread = await mentionOnDiscord('who wrote?')
  await until('the answer', () => texts(thread).some(text => /Grace\W*$|That did not work/.test(text)))
  expect(texts(thread)).toEqual([expect.stringMatching(/Ada and Grace\W*$/)])
})

it('an address of email is shown as it is, and takes no more room than that', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `- Ada_${index} <ada_${index}@mail.example.com>, a_b@c.example`)
  const text = lines.join('\n')
  model.script({ text: [text] })
  const thread = await mentionOnDiscord('who wrote?')
  await until('the last line', () => texts(thread).some(said => /Ada_39 .*c\.example$/.test(said)))
  const shown = lines.map(line => line.replace(/[<>]/g, ''))
  expect(texts(thread).flatMap(said => said.split('\n')).filter(Boolean)).toEqual(shown)
})

it('a table that is too wide for a message loses nothing', async () => {
  const cell = (index: number) => index === 5 ? 'long '.repeat(80).trim() : 'short'
  const rows = Array.from({ length: 12 }, (_, index) => `| ${index} | ${cell(index)} | end ${index} |`)
  model.script({ text: [['| id | text | end |', '|---|---|---|', ...rows].join('\n')] })
  const thread = await mentionOnDiscord('a table, please')
  await until('the last row', () => texts(thread).some(said => /end 11 \|\W*$/.test(said) || said.endsWith('...')))
  for (const row of rows) expect(texts(thread).join('\n')).toContain(row)
})

it('a name behind an @ is shown as it is, and pings nobody', async () => {
  model.script({ text: ['Ask @ada-lovelace, @acme, <@123456789012345678> or @every', 'one.'] })
  const thread = await mentionOnDiscord('who knows?')
  await answered(thread, 'Ask @ada-lovelace, @acme, <@123456789012345678> or @\u200Beveryone.')
  const sent = discord.requests.filter(({ body }) => body.includes('@acme'))
  expect(sent.map(({ body }) => (JSON.parse(body) as { allowed_mentions: object }).allowed_mentions)).toEqual(
    sent.map(() => ({ parse: [] })),
  )
})

it('an address that a form talked the model into is text: nothing unfurls, no label hides it, no image is fetched', async () => {
  const pace = () => until('the first words', () => discord.requests.some(({ body }) => body.includes('"See')))
  model.script({ text: [
    'See [the ', 'bank](https://ev', 'il.example/?d=ada) and ![', 'x](https://evil.example/p.png', '?d=ada). ',
    'Also https://evil', '.example/ada',
  ], pauseMs: 120, pace })
  const thread = await mentionOnDiscord('what does it say?')
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
  model.script({ text: lines.join('\n').match(/[^]{1,37}/g)! })
  const thread = await mentionOnDiscord('everything')
  await until(
    'the last line', () => texts(thread).at(-1)?.includes('Line 59') && texts(thread).at(-1)?.endsWith('x'.repeat(60)),
  )
  expect(texts(thread).length).toBeGreaterThan(2)
  expect(texts(thread).every(text => text.length <= 2000)).toBe(true)
  expect(texts(thread).join('\n')).toBe(lines.join('\n'))
})

it('somebody else who clicks is told privately, and nothing happens', async () => {
  const id = await d.send('', { name: 'Grace' })
  model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] })
  const thread = await mentionOnDiscord('spam')
  const card = await question(thread)
  const answer = await discord.click(endpoint, card, buttonOf(card, 'approve'), {
    user: { ...discord.user, id: '999999999999999999', username: 'mallory' },
  })
  expect(answer.body).toMatchObject({ type: 4, data: { flags: 64, content: 'Only Ada Lovelace may decide this.' } })
  expect(saidIn(thread).find(message => message.id === card.id)!.components).toHaveLength(1)
  expect(d.server.output()).not.toContain(`"submission":"${id}","action":"spam"`)
})
