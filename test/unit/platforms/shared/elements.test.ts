import { expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { platforms } from '../../../../server/platforms/registry'
import { literal } from '../../../../server/platforms/shared/speech'
import { lineElement } from '../../../../server/platforms/shared/elements'
import { cardBlocks } from '../../../../server/platforms/slack/blocks'
import { slack } from '../../../../server/platforms/slack/definition'
import type { Platform } from '../../../../server/platforms/traits'
import { openView } from '../../../fixtures/views'

const MOMENT = { at: Date.UTC(2026, 10, 21, 12, 3), shows: 'date' } as const

const momentOn = ({ moment, escape }: Platform) => moment?.(MOMENT) ?? escape('21 Nov 2026, 12:03 UTC')

test.each(platforms)('$label writes a moment in its own way, or names UTC', (platform) => {
  const { escape } = platform
  const text = `${escape('*Sent* on ')}${momentOn(platform)}${escape('.')}`
  const view = { ...openView({}), actions: [], notes: [['*Sent* on ', MOMENT, '.']] }
  expect(renderCard(view, platform).card.children).toContainEqual(expect.objectContaining({ content: text }))
  const reply = { type: 'card' as const, children: [lineElement(view.notes[0]!)] }
  expect(literal(reply, platform).children).toEqual([expect.objectContaining({ content: text })])
})

test('on Slack a moment is an element among literal words, whatever the words look like', () => {
  const words = '<!date^1^{date}|then> by *Ada* on '
  const view = { ...openView({ value: '<!date^1^{date}|then>' }), notes: [[words, MOMENT]] }
  expect(cardBlocks(renderCard(view, slack).card).filter(({ type }) => type === 'rich_text')).toEqual([
    expect.objectContaining({ elements: [expect.objectContaining({ elements: [
      expect.anything(), { type: 'text', text: '\n<!date^1^{date}|then>\n' },
    ] })] }),
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [
      { type: 'text', text: words },
      { type: 'date', timestamp: 1_795_262_580, format: '{date_short}, {time}', fallback: '21 Nov 2026, 12:03 UTC' },
    ] }] },
  ])
})
