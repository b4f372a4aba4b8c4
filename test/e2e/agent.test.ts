import { afterEach, describe, expect, it } from 'vitest'
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
    // The model continues once its text is written.
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

  // On Discord, the script alone answers in private.
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
