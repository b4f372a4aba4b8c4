import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { cardView } from '../../../../server/domain/cards/card-view'
import { platforms } from '../../../../server/platforms/registry'
import type { StoredFile } from '../../../../server/ports/files'
import type { Submission } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { manyFields, submissionOf, WITH_FILES } from '../../../fixtures/views'

const PNG: StoredFile = { field: 'photo', name: '<b>me</b>.png', type: 'image/png', size: 10 ** 6, sha256: '' }
const REVIEWER = { id: 'U1', name: 'Ada', platform: 'Slack' }

const viewOf = (files: StoredFile[], overrides: Partial<Submission> = {}, presentation = WITH_FILES) => cardView(
  { ...submissionOf({ name: 'Ada' }), envelope: { files }, ...overrides }, presentation,
)

describe.each(platforms)('$label', (platform) => {
  const { fields, pictures: limits } = platform.card
  const partsOf = (view: ReturnType<typeof viewOf>) => renderCard(view, platform).card.children
  const picturesOf = (view: ReturnType<typeof viewOf>) => partsOf(view).filter(({ type }) => type === 'image')

  test('shows the first pictures, as many as it takes, and a link to every file or how many are on the page', () => {
    const view = viewOf(Array.from({ length: 20 }, () => PNG), { data: manyFields(fields) })
    expect(picturesOf(view)).toEqual(view.pictures!.slice(0, limits?.most ?? 0).map(picture => (
      { type: 'image', ...picture }
    )))
    const labels = partsOf(view).flatMap(part => part.type === 'link' ? part.label : [])
    const hidden = labels.map(label => Number(/(\d+) more file/.exec(label)?.[1] ?? 0))
    const linked = labels.filter(label => /^Open file \d+ /.test(label)).length
    expect(linked).toBeGreaterThan(1)
    expect(linked + Math.max(...hidden, 0)).toBe(20)
    // Most of the text still consists of fields.
    expect(partsOf(view).filter(({ type }) => type === 'fields')).not.toEqual([])
  })

  test('shows none that only this machine reaches, unless it is here itself', () => {
    const view = { ...viewOf([PNG]), pictures: [{ url: 'http://localhost:3000/api/files/one/0?key=x', alt: 'Picture' }] }
    expect(picturesOf(view)).toHaveLength(limits?.public === false ? 1 : 0)
  })
})

test('a card has the address of a picture and no word of its sender', () => {
  expect(viewOf([PNG]).pictures).toEqual([{ url: WITH_FILES.files.url('one', 0), alt: 'Picture: file 1' }])
})

test.each<[string, () => ReturnType<typeof viewOf>]>([
  ['is too large', () => viewOf([{ ...PNG, size: 10 ** 6 + 1 }])],
  ['is of another kind', () => viewOf([{ ...PNG, type: 'image/svg+xml' }, { ...PNG, type: 'image/webp' }])],
  ['is decided', () => viewOf([PNG], {
    state: 'settling', decision: { action: 'forward', at: 0, reviewer: REVIEWER }, revocableUntil: 1,
  })],
  ['is nowhere', () => viewOf([PNG], {}, { ...WITH_FILES, files: { ...WITH_FILES.files, url: () => null as never } })],
  ['came with a form that does not show them', () => viewOf([PNG], {}, {
    ...WITH_FILES, forms: formsOf({ files: { max: 1, maxBytes: 10, types: ['image/*'] } }),
  })],
])('a picture that %s is not on the card', (_, view) => expect(view()).not.toHaveProperty('pictures'))
