import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cardEmbeds } from '../../../../server/platforms/discord/embeds'
import { platformByName } from '../../../../server/platforms/registry'
import { discord } from '../../../../server/platforms/discord/definition'
import { sandbox } from '../../../../server/platforms/sandbox/definition'
import { slack } from '../../../../server/platforms/slack/definition'
import { cardBlocks } from '../../../../server/platforms/slack/blocks'
import { renderAnswer } from '../../../../server/adapters/chat/speech'
import { speechIn } from '../../../../server/platforms/shared/speech'
import { escalation, welcome } from '../../../../server/domain/conversation/texts'
import type { Speech } from '../../../../server/ports/conversation'
import { hostileText } from '../../../fixtures/form-data'
import { blockKitProblems, blockText } from '../../../support/block-kit'
import { describing } from '../../../support/discord/described'
import { validateMessage } from '../../../support/discord/validate'

const item = fc.record({ label: hostileText, value: hostileText, link: fc.option(
  fc.constant({ label: 'Open it', url: 'https://forms.example.com/submissions/one' }), { nil: undefined },
) })
const anySpeech: fc.Arbitrary<Speech> = fc.record({
  text: fc.array(hostileText.map(text => `said: ${text}`), { minLength: 1, maxLength: 2 }),
  items: fc.array(item, { maxLength: 5 }), buttons: fc.constant(welcome('', true).buttons),
})

const HOSTILE = '<!channel> @everyone *bold* <https://evil.example|bank> [bank](https://evil.example) :smile:'

test('anything that the bot says is what Slack takes', () => {
  fc.assert(fc.property(anySpeech, (speech) => {
    const { card, fallbackText } = renderAnswer({ speech }, slack)
    expect(blockKitProblems({ blocks: cardBlocks(card) as never, text: fallbackText })).toEqual([])
  }))
})

test('anything that the bot says is what Discord takes', async () => {
  const mistakes = await describing()
  fc.assert(fc.property(anySpeech, (speech) => {
    const message = cardEmbeds(renderAnswer({ speech }, discord).card)
    validateMessage(message)
    expect(mistakes('POST /channels/:id/messages', message)).toEqual([])
  }))
})

test('items that lead somewhere are told apart, each with its own link and button', () => {
  const items = ['one', 'two'].map(label => ({
    label, value: `about ${label}`, link: { label: `Open ${label}`, url: `https://forms.example.com/${label}` },
    button: { id: 'queue_take' as const, label: 'Take', value: label },
  }))
  const { card } = renderAnswer({ speech: { text: ['Two wait.'], items } }, discord)
  expect(cardEmbeds(card).embeds).toMatchObject([{ description: 'Two wait.' }, ...items.map(({ label, link }) => (
    { title: label, url: link.url, description: `about ${label}` }
  ))])
  const [, ...blocks] = cardBlocks(renderAnswer({ speech: { text: ['Two wait.'], items } }, slack).card)
  expect(blocks).toMatchObject(items.flatMap(({ label, link }) => [
    { type: 'divider' }, { type: 'rich_text' },
    { type: 'section', text: { text: `<${link.url}|Open ${label}>` }, accessory: { type: 'button', value: label } },
  ]))
})

describe('a name', () => {
  test('is literal on Slack', () => {
    const blocks = cardBlocks(renderAnswer({ speech: welcome(HOSTILE, true) }, slack).card)
    expect(blockText(blocks)).toContain(HOSTILE)
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn')
  })

  test('is escaped on Discord, and in embeds only, which ping nobody', () => {
    const { embeds } = cardEmbeds(renderAnswer({ speech: welcome(HOSTILE, true) }, discord).card)
    expect(embeds[0]!.description).toContain('\\<!channel> \\@everyone \\*bold\\*')
    expect(embeds[0]!.description).toContain('\\[bank](https\\://evil.example)')
  })
})

test('an item tells of a moment in the way of the platform, whatever the words around it look like', () => {
  const value = ['Received ', { at: 1_795_262_580_000, shows: 'date' }, '\n*now*'] as const
  const answer = { speech: { text: [], items: [{ label: 'one', value }] } }
  expect(cardBlocks(renderAnswer(answer, slack).card)[0]!.elements).toEqual([
    { type: 'rich_text_section', elements: [
      { type: 'text', text: 'one', style: { bold: true } }, { type: 'text', text: '\nReceived ' },
      expect.objectContaining({ type: 'date', timestamp: 1_795_262_580 }), { type: 'text', text: '\n*now*\n' },
    ] },
  ])
  expect(cardEmbeds(renderAnswer(answer, discord).card).embeds[0]!.fields).toEqual([
    { name: 'one', value: 'Received <t:1795262580:f>\n\\*now\\*' },
  ])
})

test.each([
  ['slack', '<!subteam^S1> <@&2> @here hello', '<!subteam^S1>'],
  ['slack', '<@U012ABC> and <!here>', '<@U012ABC> <!here>'],
  ['discord', '<!subteam^S1> <@&2> @here hello', '<@&2> @here'],
  ['sandbox', '@support', '@support'],
  ['slack', 'the team', undefined],
] as const)('on %s the mention %j notifies %j', (platform, mention, expected) => {
  expect(renderAnswer({ speech: escalation('Ada', mention) }, platformByName(platform)!).mention).toBe(expected)
})

test('other messages are left to the SDK, and any card is taken', () => {
  expect(
    ['text', { markdown: '**x**' }, { raw: 'x' }].map(message => speechIn(message as never)),
  ).toEqual([null, null, null])
  const { card } = renderAnswer({ speech: { text: ['one line'] } }, sandbox)
  expect(speechIn(card)).toEqual({ card, fallbackText: 'one line' })
  expect(speechIn({ card, fallbackText: 'short' })).toEqual({ card, fallbackText: 'short' })
})
