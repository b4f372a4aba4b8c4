import { decodeDiscordCustomId } from '@chat-adapter/discord'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { buttonId, cardEmbeds } from '../../../../server/platforms/discord/embeds'
import { discord } from '../../../../server/platforms/discord/definition'
import type { CardState, CardView } from '../../../../server/ports/board'
import { manyFields, openView, URL_OF_ONE } from '../../../fixtures/views'
import { describing } from '../../../support/discord/described'
import { validateMessage } from '../../../support/discord/validate'

const findMistakes = await describing()

/** Renders a message, and checks that Discord accepts it. */
function render(view: CardView) {
  const message = cardEmbeds(renderCard(view, discord).card)
  validateMessage(message)
  expect(findMistakes('POST /channels/:id/messages', message)).toEqual([])
  return message
}

test('Discord takes more links and notes than one embed can hold, below fields and pictures', () => {
  const links = Array.from({ length: 5 }, (_, index) => ({
    label: `Open file ${index} (image/png, 1.0 KB)`, url: `https://forms.example.com/${'p'.repeat(300)}`,
  }))
  const fields = Array.from({ length: 200 }, (_, index) => ({ label: `${index}`, value: 'x', edited: false }))
  const pictures = [1, 2].map(index => ({ url: `https://forms.example.com/${index}.png`, alt: 'a' }))
  const view = { ...openView({}), fields, pictures, links, notes: Array.from({ length: 3 }, () => 'é'.repeat(900)) }
  const descriptions = render(view).embeds.map(({ description = '' }) => description).join('\n')
  expect(descriptions.match(/é{900}/g)).toHaveLength(3)
  expect(descriptions).toContain('25 more fields')
})

test('a value is cut only where its escaped form is too long, and that is counted', () => {
  const view = openView({ plain: 'x'.repeat(1024), stars: '*'.repeat(512), more: '*'.repeat(513) })
  expect(render(view).embeds[0]!.fields!.map(({ value }) => value)).toEqual([
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
