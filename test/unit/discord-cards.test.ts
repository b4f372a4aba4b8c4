import { decodeDiscordCustomId } from '@chat-adapter/discord'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../server/adapters/chat/cards'
import { buttonId, cardMessage } from '../../server/platforms/discord/embeds'
import { printable } from '../../server/platforms/shared/text'
import { discord } from '../../server/platforms/discord/definition'
import type { CardView } from '../../server/ports/board'
import { anyView, manyFields, openView, URL_OF_ONE } from '../fixtures/views'
import { shownText, unescapeMarkdown } from '../support/discord/markdown'
import { validateMessage } from '../support/discord/validate'

const render = (view: CardView) => cardMessage(renderCard(view, discord).card)

const fieldsOf = (view: CardView) => render(view).embeds.flatMap(({ fields = [] }) => fields)

/** Why Discord refuses it, if it does. */
function refusal(view: CardView): unknown {
  try {
    validateMessage(render(view))
  }
  catch (error) {
    return (error as { body?: unknown }).body ?? error
  }
}

/** Whether this is the text, up to where it was cut, or the words for one that nobody can see. */
function shows(shown: string, typed: string, otherwise: string): boolean {
  const [plain, text] = [unescapeMarkdown(shown), printable(typed)]
  return plain.endsWith('…')
    ? text.startsWith(plain.slice(0, -1))
    : plain === text || (plain === otherwise && !/[^\s\p{Cc}\p{Cf}]/u.test(text))
}

test('Discord takes the card of any form', () => {
  fc.assert(fc.property(anyView, (view) => {
    expect(refusal(view)).toBeUndefined()
  }), { numRuns: 500 })
})

test('Discord takes the largest card that there can be', () => {
  for (const unit of ['x', '*', '👍', '\n']) {
    for (const size of [1, 20, 1024, 5000]) {
      const fields = Array.from({ length: 400 }, (_, index) => ({
        label: `${index} ${unit.repeat(200)}`.padEnd(300, unit), value: unit.repeat(size), edited: true,
      }))
      const view = {
        ...openView({}), fields, notes: Array.from({ length: 3 }, () => unit.repeat(5000)),
        url: `https://forms.example.com/${'p'.repeat(150)}`,
      }
      expect(refusal(view)).toBeUndefined()
      expect(
        refusal({ ...view, fields: fields.map((field, index) => ({ ...field, label: `${index}` })) }),
      ).toBeUndefined()
    }
  }
})

test('every field appears as it was typed, up to the length that is shown', () => {
  fc.assert(fc.property(anyView, (view) => {
    fieldsOf(view).forEach(({ name, value }, index) => {
      const { label, value: typed, edited } = view.fields[index]!
      expect(shows(edited ? name.slice(0, -' (edited)'.length) : name, label, '(no name)')).toBe(true)
      expect(shows(value, typed, '—')).toBe(true)
    })
  }), { numRuns: 500 })
})

test('nothing in a form has an effect on the card', () => {
  fc.assert(fc.property(anyView, (view) => {
    const { embeds } = render(view)
    expect(
      fieldsOf(view).flatMap(({ name, value }) => [...shownText(name).effects, ...shownText(value).effects]),
    ).toEqual([])
    const links = embeds.flatMap(({ description }) => shownText(description ?? '').effects)
    expect(links.filter(effect => effect !== 'masked link')).toEqual([])
    expect(links.length).toBeLessThanOrEqual(1)
  }), { numRuns: 300 })
})

test('a value is cut only where its escaped form is too long, and that is counted', () => {
  const view = openView({ plain: 'x'.repeat(1024), stars: '*'.repeat(512), more: '*'.repeat(513) })
  expect(fieldsOf(view).map(({ value }) => value)).toEqual([
    'x'.repeat(1024), '\\*'.repeat(512), `${'\\*'.repeat(511)}…`,
  ])
  expect(render(view).embeds.at(-1)!.description).toBe(`[1 shortened: open the full submission](${URL_OF_ONE})`)
})

describe('the message', () => {
  test('has 25 fields in each embed, and link and notes below them', () => {
    const view = { ...openView(manyFields(60)), notes: ['Email failed.', 'Try again.'] }
    const { embeds } = render(view)
    expect(embeds.map(({ title, fields, description }) => [title, fields?.length, description])).toEqual([
      ['New Form Submission', 25, undefined], [undefined, 25, undefined], [undefined, 10, undefined],
      [undefined, undefined, 'Email failed.\nTry again.'],
    ])
  })

  test('has the specified buttons, two in the first row and spam in the second', () => {
    expect(render(openView({ a: 'b' })).components).toEqual([
      { type: 1, components: [
        { type: 2, style: 1, label: 'Forward Submission', custom_id: 'forward\none' },
        { type: 2, style: 1, label: 'Edit & Forward', custom_id: 'edit\none' },
      ] },
      { type: 1, components: [{ type: 2, style: 4, label: 'Mark as Spam', custom_id: 'spam\none' }] },
    ])
  })

  test('has button ids that the SDK reads back', () => {
    expect(decodeDiscordCustomId(buttonId({ id: 'edit', value: 'some:id' }))).toEqual({
      actionId: 'edit', value: 'some:id',
    })
    expect(decodeDiscordCustomId(buttonId({ id: 'edit' }))).toEqual({ actionId: 'edit', value: undefined })
  })

  test('refuses elements that it would silently leave out', () => {
    expect(() => cardMessage({
      type: 'card', children: [{ type: 'image', url: 'https://x.example/a.png', alt: '' }],
    })).toThrow('image')
  })
})
