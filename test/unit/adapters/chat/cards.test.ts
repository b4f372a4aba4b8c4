import { escapeSlackText } from '@chat-adapter/slack/format'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { cardView } from '../../../../server/domain/cards/card-view'
import { platforms } from '../../../../server/platforms/registry'
import { slack } from '../../../../server/platforms/slack/definition'
import type { Platform } from '../../../../server/platforms/traits'
import { cardBlocks } from '../../../../server/platforms/slack/blocks'
import type { CardView } from '../../../../server/ports/board'
import { HOSTILE_BODIES } from '../../../fixtures/nested'
import { anyView, manyFields, openView, PRESENTATION, submissionOf, URL_OF_ONE } from '../../../fixtures/views'
import { blockKitProblems } from '../../../support/block-kit'
import { runs } from '../../../support/properties'
import type { Block } from '../../../support/slack'

const withoutModals: Platform = { ...slack, modal: null }
const allPlatforms: readonly Platform[] = [...platforms, withoutModals]

function childrenOf<T extends string>(view: CardView, platform: Platform, type: T) {
  return renderCard(view, platform).card.children.filter(child => (
    child.type === type
  )) as Extract<ReturnType<typeof renderCard>['card']['children'][number], { type: T }>[]
}

const fieldsOf = (view: CardView, platform: Platform) => (
  childrenOf(view, platform, 'fields').flatMap(({ children }) => children)
)
const buttonRows = (view: CardView, platform: Platform) => (
  childrenOf(view, platform, 'actions').map(({ children }) => children)
)
const linksOf = (view: CardView, platform: Platform) => childrenOf(view, platform, 'link')

/** All Block Kit objects within a value. */
function objectsIn(value: unknown): Block[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  return [value as Block, ...Object.values(value).flatMap(objectsIn)]
}

describe.each(allPlatforms)('on $label (modals: $modal.inputs)', (platform) => {
  const limits = platform.card

  test('any form stays within the limits, and what is not shown is counted', () => {
    fc.assert(fc.property(anyView, (view) => {
      const groups = childrenOf(view, platform, 'fields')
      const shownFields = fieldsOf(view, platform)
      expect(
        groups.every(({ children }) => children.length >= 1 && children.length <= limits.fieldsPerGroup),
      ).toBe(true)
      expect(shownFields.length).toBeLessThanOrEqual(limits.fields)
      expect(shownFields.every(({ label, value }) => label.length >= 1
        && label.length <= limits.label + ' (edited)'.length
        && value.length >= 1 && value.length <= limits.value)).toBe(true)
      expect(
        shownFields.reduce((sum, { label, value }) => sum + label.length + value.length, 0),
      ).toBeLessThanOrEqual(limits.total)
      const counted = linksOf(view, platform).map(({ label }) => Number(/^(\d+) more field/.exec(label)?.[1] ?? 0))
      expect(shownFields.length + Math.max(0, ...counted)).toBe(view.fields.length)
    }))
  })

  test('the summary is one short line', () => {
    fc.assert(fc.property(anyView, (view) => {
      const { summary } = renderCard(view, platform)
      expect(summary.length).toBeLessThanOrEqual(280)
      expect(summary).toMatch(/^[^\r\n]+$/)
      expect(summary.isWellFormed()).toBe(true)
    }))
  })

  test('as many fields as fit are shown, in order', () => {
    for (const count of [1, 2, 10, 11, 25, 60, 100].filter(size => size <= limits.fields)) {
      const view = openView(manyFields(count))
      expect(fieldsOf(view, platform).map(({ label, value }) => [label, value])).toEqual(
        Object.entries(manyFields(count)).map(([key, value]) => [platform.escape(key), platform.escape(value)]),
      )
      expect(linksOf(view, platform).filter(({ label }) => label.includes('more'))).toEqual([])
    }
  })

  test('fields beyond the limit are counted, with a link to all of them', () => {
    const view = openView(manyFields(limits.fields + 37))
    expect(linksOf(view, platform)).toContainEqual(
      expect.objectContaining({ label: '37 more fields: open the full submission', url: URL_OF_ONE }),
    )
    expect(linksOf(openView(manyFields(limits.fields + 1)), platform)).toContainEqual(
      expect.objectContaining({ label: '1 more field: open the full submission' }),
    )
  })

  test('a value that is too long is shortened, and says so with a link', () => {
    const view = openView({ a: 'x'.repeat(50_000), b: 'y' })
    expect(fieldsOf(view, platform).map(({ value }) => value)).toEqual([`${'x'.repeat(limits.value - 1)}…`, 'y'])
    expect(linksOf(view, platform)).toContainEqual(
      expect.objectContaining({ label: '1 shortened: open the full submission', url: URL_OF_ONE }),
    )
  })

  test('an empty name, an empty value and a changed field are told in words', () => {
    const view = openView({ '': '' })
    expect(fieldsOf(view, platform)).toMatchObject([{ label: platform.escape('(no name)'), value: '—' }])
    const [field] = view.fields
    expect(fieldsOf({ ...view, fields: [{ ...field!, edited: true }] }, platform)).toMatchObject([
      { label: `${platform.escape('(no name)')} (edited)` },
    ])
  })

  test('an edited field says what the sender wrote, with a mark for what is hidden', () => {
    const view = cardView({
      ...submissionOf({ name: 'Grace', left: 'a' }), edited: ['name'], before: { name: 'Ada\u202E' },
    }, PRESENTATION)
    expect(fieldsOf(view, platform).map(({ value }) => value)).toEqual([
      platform.escape('Grace\n(was: Ada⟨U+202E⟩)'), 'a',
    ])
  })

  test('an empty form has a card that says so', () => {
    expect(fieldsOf(openView({}), platform)).toEqual([])
    expect(childrenOf(openView({}), platform, 'text').map(({ content }) => content)).toEqual(['The form was empty.'])
  })

  test('notes are shown one by one', () => {
    const view = { ...openView({ a: 'b' }), notes: ['Email failed.', 'Try again.'] }
    expect(childrenOf(view, platform, 'text').map(({ content }) => content)).toEqual(view.notes.map(platform.escape))
  })

  test('a card without actions has no buttons', () => {
    const view = { ...openView({ a: 'b' }), actions: [] }
    expect(buttonRows(view, platform)).toEqual([])
    expect(linksOf(view, platform)).toEqual([])
  })
})

test.each(allPlatforms.filter(({ modal }) => (
  modal
)))('$label has Forward and Edit in the first row, Spam in the second', (platform) => {
  const rows = buttonRows(openView({ a: 'b' }), platform)
  expect(rows).toEqual([
    [
      expect.objectContaining({
        type: 'button', id: 'forward', label: 'Forward Submission', style: 'primary', value: 'one',
      }),
      expect.objectContaining({ type: 'button', id: 'edit', label: 'Edit & Forward', style: 'primary', value: 'one' }),
    ],
    [expect.objectContaining({ type: 'button', id: 'spam', label: 'Mark as Spam', style: 'danger', value: 'one' })],
  ])
})

test('a platform without modals links to the edit page instead', () => {
  const view = openView({ a: 'b' })
  for (const platform of allPlatforms.filter(({ modal }) => !modal)) {
    expect(
      buttonRows(view, platform).map(row => row.map(button => 'id' in button && button.id)),
    ).toEqual([['forward'], ['spam']])
    expect(linksOf(view, platform)).toMatchObject([{ label: 'Edit & Forward on the web', url: URL_OF_ONE }])
  }
  expect(linksOf(view, slack)).toEqual([])
})

test('a value is cut no more than its escaped form needs', () => {
  const platform: Platform = { ...slack, escape: text => text.replaceAll('&', '&amp;') }
  const { value: max } = platform.card
  for (const value of ['&'.repeat(max), `${'x'.repeat(max)}&`, `${'&'.repeat(10)}${'x'.repeat(max)}`, '&']) {
    const [field] = fieldsOf(openView({ value }), platform)
    expect(field!.value.length).toBeLessThanOrEqual(max)
    expect(field!.value.length).toBeGreaterThan(Math.min(platform.escape(value).length, max) - '&amp;…'.length)
  }
})

describe('Block Kit', () => {
  const render = (view: CardView, platform: Platform = slack) => {
    const { card, summary } = renderCard(view, platform)
    return { blocks: cardBlocks(card) as Block[], text: escapeSlackText(summary) }
  }

  test.each([slack, withoutModals])('Slack takes the card of any form (modals: $modal.inputs)', (platform) => {
    fc.assert(fc.property(anyView, (view) => {
      expect(blockKitProblems(render(view, platform))).toEqual([])
    }), { numRuns: runs(300) })
  })

  test.each(Object.entries(HOSTILE_BODIES))('Slack takes the card of %s, which shows no JSON', (_what, data) => {
    const message = render(openView(data))
    expect(blockKitProblems(message)).toEqual([])
    expect(message.blocks.at(-1)).toMatchObject({ type: 'actions' })
    expect(JSON.stringify(message)).not.toContain('{\\"')
  })

  test.each([1, 3, 4, 12])('Slack takes the largest card that there can be, with %i notes', (noteCount) => {
    const fields = Object.entries(manyFields(500)).map(([label, value]) => ({
      label: label.padEnd(150), value, edited: true,
    }))
    const files = Array.from({ length: 20 }, () => ({ url: URL_OF_ONE, label: 'Open', alt: 'x' }))
    for (const [size, sentFiles] of [[1, []], [20, []], [3000, []], [1, files], [20, files], [3000, files]] as const) {
      const view = {
        ...openView({}), fields: fields.map(field => ({ ...field, value: 'x'.repeat(size) })),
        actions: [...openView({}).actions, { id: 'take' as const, label: 'Take' }], links: sentFiles,
        pictures: sentFiles, notes: Array.from({ length: noteCount }, () => 'n'.repeat(5000)),
      }
      expect(blockKitProblems(render(view))).toEqual([])
      expect(
        blockKitProblems(render({ ...view, fields: view.fields.map(field => ({ ...field, label: 'k' })) })),
      ).toEqual([])
    }
  })

  test('everything from the form is in literal text: no markup, links, mentions or emoji come of it', () => {
    fc.assert(fc.property(anyView, (view) => {
      const objects = objectsIn(render(view).blocks)
      const types = new Set(objects.map(({ type }) => type))
      expect([...types].filter(type => [
        'link', 'emoji', 'user', 'usergroup', 'channel', 'broadcast', 'markdown',
      ].includes(type))).toEqual([])
      for (const { text } of objects.filter(({ type }) => type === 'mrkdwn')) {
        expect(text).toMatch(
          /^<https:\/\/forms\.example\.com\/(?:submissions\/one\|[0-9a-z ,]+: open the full submission|api\/files\/[^|]+\|Open [^<>|]+)>$/,
        )
      }
      const pictures = objects.filter(({ type }) => type === 'image').map(({ image_url: url }) => url)
      expect(pictures).toEqual((view.pictures ?? []).slice(0, 4).map(({ url }) => url))
      const buttons = objects.filter(({ type }) => type === 'button').map(({ text }) => text)
      const otherTexts = objects.filter(object => object.type === 'plain_text' && !buttons.includes(object))
      expect(otherTexts.every(({ emoji }) => emoji === false)).toBe(true)
      expect(
        buttons.every(({ text }) => ['Forward Submission', 'Edit & Forward', 'Mark as Spam'].includes(text)),
      ).toBe(true)
    }))
  })

  test('a field is its name in bold and its value, character by character', () => {
    const data = { '*bold*': '<!channel> <@U1> <https://evil|bank> :smile: @everyone [x](http://evil) &amp;' }
    const [field] = render(openView(data)).blocks.find(({ type }) => type === 'rich_text')!.elements
    expect(field.elements).toEqual([
      { type: 'text', text: '*bold*', style: { bold: true } },
      { type: 'text', text: `\n${data['*bold*']}\n` },
    ])
  })

  test('the fallback text mentions nobody', () => {
    expect(
      render(openView({ message: '<!channel> <@U1> & co' })).text,
    ).toBe('New Form Submission: message: &lt;!channel&gt; &lt;@U1&gt; &amp; co')
  })

  test('the fallback text passes over what was left empty', () => {
    expect(render(openView({ company: '', phone: ' ', name: 'Ada' })).text).toBe('New Form Submission: name: Ada')
  })
})
