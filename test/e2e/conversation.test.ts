import { afterEach, describe, expect, it } from 'vitest'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { isPost } from '../support/talks'
import { until } from '../support/until'

const d = await deployEverywhere(() => ({ env: {
  ESCALATION_MENTION: '<!subteam^S0123456789> <@&123456789012345678>', FORWARD_ENDPOINT: '', FORWARD_SIGNING_SECRET: '',
} }))
const BUTTONS = ['Say hello', 'Where am I?', 'Ask for a human']
const HOSTILE = '@everyone <!channel> <users/all> **bold** [bank](https://evil.example)'

describe.each(d.talks)('on $platform', (talk) => {
  const { platform, double, mention, say, texts, buttons, press, inPrivate, limited } = talk
  afterEach(() => { double.fault = () => undefined })

  /** Waits until the bot has said so much at a place. */
  const said = (place: string, count: number) => until(`${count} texts`, async () => {
    await d.server.drain()
    const all = await texts(place)
    return all.length >= count && all
  })

  it('a mention is welcomed once, by full name, with buttons that answer there', async () => {
    const place = await mention('hi')
    expect(await said(place, 1)).toEqual([expect.stringContaining('Hello Ada Lovelace')])
    expect(await buttons(place)).toEqual(BUTTONS)
    for (const [index, label] of BUTTONS.entries()) {
      await press(place, label)
      await said(place, index + 2)
    }
    expect((await said(place, 4)).slice(1)).toEqual([
      'Hello, Ada Lovelace!', `You are talking to me on ${PLATFORMS[platform]!.label}.`,
      expect.stringContaining('Ada Lovelace requested human support.'),
    ])
  })

  if (say) it('a conversation that the bot follows is answered without a mention', async () => {
    const place = await mention('hi')
    await said(place, 1)
    for (const [index, words] of ['help', 'what is this?'].entries()) {
      await say(place, words)
      await said(place, index + 2)
    }
    expect((await texts(place)).slice(1)).toEqual([
      expect.stringContaining('This is what I understand'), expect.stringMatching(/Type .{0,2}help/),
    ])
  })

  it('what is said while the platform takes no more gets there when it may', async () => {
    let refused = 0
    double.fault = request => isPost(request) && refused++ < 2 ? limited : undefined
    expect(await said(await mention('status'), 1)).toEqual([expect.stringContaining('Connected: ')])
    expect(refused).toBe(3)
  })

  it('a form that is shown on request appears as it was typed', async () => {
    const id = await d.send('', { name: HOSTILE })
    const [card] = await said(await mention(`show ${id}`), 1)
    expect(card!.replace(/[\u2060\u200B\u200A]/g, '')).toContain(HOSTILE)
  })

  // The chat of WhatsApp's cards is private itself.
  if (platform !== 'whatsapp') it('no form is told of in private, not even how many wait', async () => {
    const id = await d.send('', { name: 'Confidential' })
    const before = double.requests.length
    const answers = () => double.requests.slice(before).map(({ body }) => body).filter(body => (
      /only.in.the.channel.of.the.cards/.test(body)
    ))
    for (const words of ['pending', `show ${id}`]) await inPrivate(words)
    await until('both answers', () => answers().length >= 2)
    expect(double.requests.slice(before).map(({ body }) => body).join()).not.toContain('Confidential')
  })
})

it('nobody is pinged by what a form says', () => {
  const { discord } = d.doubles
  const pings = discord.requests.filter(({ method, body }) => method === 'POST' && body.includes('everyone'))
  expect(pings.length).toBeGreaterThan(1)
  for (const { body } of pings) expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } })
})
