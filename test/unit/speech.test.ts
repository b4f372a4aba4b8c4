import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cardMessage } from '../../server/platforms/discord/embeds'
import { platformByName } from '../../server/platforms/registry'
import { discord } from '../../server/platforms/discord/definition'
import { sandbox } from '../../server/platforms/sandbox/definition'
import { slack } from '../../server/platforms/slack/definition'
import { cardBlocks } from '../../server/platforms/slack/blocks'
import { renderAnswer } from '../../server/adapters/chat/speech'
import { speechIn } from '../../server/platforms/shared/speech'
import { escalation, welcome } from '../../server/domain/conversation/texts'
import type { Speech } from '../../server/ports/conversation'
import { hostileText } from '../fixtures/form-data'
import { blockKitProblems, blockText } from '../support/block-kit'
import { validateMessage } from '../support/discord/validate'

const item = fc.record({ label: hostileText, value: hostileText, link: fc.option(
  fc.constant({ label: 'Open it', url: 'https://forms.example.com/submissions/one' }), { nil: undefined },
) })
const anySpeech: fc.Arbitrary<Speech> = fc.record({
  text: fc.array(hostileText.map(text => `said: ${text}`), { minLength: 1, maxLength: 2 }),
  items: fc.array(item, { maxLength: 5 }), buttons: fc.constant(welcome('').buttons),
})

const HOSTILE = '<!channel> @everyone *bold* <https://evil.example|bank> [bank](https://evil.example) :smile:'

test('anything that the bot says is what Slack takes', () => {
  fc.assert(fc.property(anySpeech, (speech) => {
    const { card, fallbackText } = renderAnswer({ speech }, slack)
    expect(blockKitProblems({ blocks: cardBlocks(card) as never, text: fallbackText })).toEqual([])
  }))
})

test('anything that the bot says is what Discord takes', () => {
  fc.assert(fc.property(anySpeech, (speech) => {
    validateMessage(cardMessage(renderAnswer({ speech }, discord).card))
  }))
})

describe('a name', () => {
  test('is literal on Slack', () => {
    const blocks = cardBlocks(renderAnswer({ speech: welcome(HOSTILE) }, slack).card)
    expect(blockText(blocks)).toContain(HOSTILE)
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn')
  })

  test('is escaped on Discord, and in embeds only, which ping nobody', () => {
    const { embeds } = cardMessage(renderAnswer({ speech: welcome(HOSTILE) }, discord).card)
    expect(embeds[0]!.description).toContain('\\<!channel> \\@everyone \\*bold\\*')
    expect(embeds[0]!.description).toContain('\\[bank](https\\://evil.example)')
  })
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
