import { decodeDiscordCustomId } from '@chat-adapter/discord'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { buttonId, cardEmbeds } from '../../../../server/platforms/discord/embeds'
import { printable } from '../../../../server/platforms/shared/text'
import { discord } from '../../../../server/platforms/discord/definition'
import type { CardState, CardView } from '../../../../server/ports/board'
import { anyView, manyFields, openView, URL_OF_ONE } from '../../../fixtures/views'
import { describing } from '../../../support/discord/described'
import { shownText, unescapeMarkdown } from '../../../support/discord/markdown'
import { validateMessage } from '../../../support/discord/validate'
import { richParts } from '../../../../shared/utils/line'
import { runs } from '../../../support/properties'

const render = (view: CardView) => cardEmbeds(renderCard(view, discord).card)

const fieldsOf = (view: CardView) => render(view).embeds.flatMap(({ fields = [] }) => fields)

const findMistakes = await describing()

/** Error of Discord's validation, or a difference from Discord's API description; undefined if there is none. */
function findRefusal(view: CardView): unknown {
  const message = render(view)
  try {
    validateMessage(message)
  }
  catch (error) {
    return (error as { body?: unknown }).body ?? error
  }
  return findMistakes('POST /channels/:id/messages', message)[0]
}

/** True if the text is shown, up to the point where it was cut, or the replacement of an invisible text. */
function isShown(output: string, input: string, placeholder: string): boolean {
  const [plain, text] = [unescapeMarkdown(output), printable(input)]
  return plain.endsWith('…')
    ? text.startsWith(plain.slice(0, -1))
    : plain === text || (plain === placeholder && !/[^\s\p{Cc}\p{Cf}]/u.test(text))
}

test('Discord takes the card of any form', () => {
  fc.assert(fc.property(anyView, (view) => { expect(findRefusal(view)).toBeUndefined() }), { numRuns: runs(500) })
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
      expect(findRefusal(view)).toBeUndefined()
      expect(
        findRefusal({ ...view, fields: fields.map((field, index) => ({ ...field, label: `${index}` })) }),
      ).toBeUndefined()
    }
  }
})

test('Discord takes more links and notes than one embed can hold, below fields and pictures', () => {
  const links = Array.from({ length: 5 }, (_, index) => ({
    label: `Open file ${index} (image/png, 1.0 KB)`, url: `https://forms.example.com/${'p'.repeat(300)}`,
  }))
  const fields = Array.from({ length: 200 }, (_, index) => ({ label: `${index}`, value: 'x', edited: false }))
  const pictures = [1, 2].map(index => ({ url: `https://forms.example.com/${index}.png`, alt: 'a' }))
  const view = { ...openView({}), fields, pictures, links, notes: Array.from({ length: 3 }, () => 'é'.repeat(900)) }
  expect(findRefusal(view)).toBeUndefined()
  const descriptions = render(view).embeds.map(({ description = '' }) => description).join('\n')
  expect(descriptions.match(/é{900}/g)).toHaveLength(3)
  expect(descriptions).toContain('25 more fields')
})

test('every field appears as it was typed, up to the length that is shown', () => {
  fc.assert(fc.property(anyView, (view) => {
    fieldsOf(view).forEach(({ name, value }, index) => {
      const { label, value: typed, edited } = view.fields[index]!
      expect(isShown(edited ? name.slice(0, -' (edited)'.length) : name, label, '(no name)')).toBe(true)
      expect(isShown(value, typed, '—')).toBe(true)
    })
  }), { numRuns: runs(500) })
})

test('nothing in a form has an effect on the card', () => {
  fc.assert(fc.property(anyView, (view) => {
    const { embeds } = render(view)
    expect(
      fieldsOf(view).flatMap(({ name, value }) => [...shownText(name).effects, ...shownText(value).effects]),
    ).toEqual([])
    const effects = embeds.flatMap(({ description }) => shownText(description ?? '').effects)
    const moments = view.notes.flatMap(richParts).filter(part => typeof part !== 'string')
    expect(effects.filter(effect => effect === 'timestamp')).toHaveLength(moments.length)
    const links = effects.filter(effect => effect !== 'timestamp')
    expect(links.filter(effect => effect !== 'masked link')).toEqual([])
    expect(links.length).toBeLessThanOrEqual(1 + (view.links?.length ?? 0))
  }), { numRuns: runs(300) })
})

test('a value is cut only where its escaped form is too long, and that is counted', () => {
  const view = openView({ plain: 'x'.repeat(1024), stars: '*'.repeat(512), more: '*'.repeat(513) })
  expect(fieldsOf(view).map(({ value }) => value)).toEqual([
    'x'.repeat(1024), '\\*'.repeat(512), `${'\\*'.repeat(511)}…`,
  ])
  expect(render(view).embeds.at(-1)!.description).toBe(`[1 shortened: open the full submission](${URL_OF_ONE})`)
})

describe('the message', () => {
  test('has pictures below the fields, and links and notes below those, also on the largest card', () => {
    const files = Array.from({ length: 20 }, (_, index) => ({
      url: `https://forms.example.com/api/files/${index}?key=${'k'.repeat(90)}`, label: `Open file ${index + 1}`, alt: 'x',
    }))
    const view = { ...openView(manyFields(300)), links: files, pictures: files }
    expect(findRefusal(view)).toBeUndefined()
    const { embeds } = render(view)
    expect(embeds.length).toBeLessThanOrEqual(10)
    expect(embeds.flatMap(({ image }) => image ?? [])).toEqual(files.slice(0, 2).map(({ url }) => ({ url })))
    expect(embeds.at(-1)!.description).toMatch(/, \d+ more files?: open the full submission[^]*Open file 9/)
    const [embed] = render({ ...openView({ name: 'Ada' }), pictures: files.slice(0, 1) }).embeds
    expect(embed).toMatchObject({ fields: [{ name: 'name' }], image: { url: files[0]!.url } })
  })

  test('has 25 fields in each embed, and link and notes below them', () => {
    const view = { ...openView(manyFields(60)), notes: ['Email failed.', 'Try again.'] }
    const { embeds } = render(view)
    expect(embeds.map(({ title, fields, description }) => [title, fields?.length, description])).toEqual([
      ['New Form Submission', 25, undefined], [undefined, 25, undefined], [undefined, 10, undefined],
      [undefined, undefined, 'Email failed.\nTry again.'],
    ])
  })

  test('has a colour of its own in every state, in all of its embeds', () => {
    const states = [
      'new', 'failed', 'forwarding', 'forwarded', 'spam', 'expired', 'erased', 'gone',
    ] as const satisfies readonly CardState[]
    const colours = states.map((state) => {
      const { embeds } = render({ ...openView(manyFields(60)), state })
      return [...new Set(embeds.map(({ color }) => color))]
    })
    expect(colours.every(({ length }) => length === 1)).toBe(true)
    expect(new Set(colours.flat()).size).toBe(states.length)
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
    expect(() => cardEmbeds({ type: 'card', children: [{ type: 'table', headers: [], rows: [] }] })).toThrow('table')
  })
})
