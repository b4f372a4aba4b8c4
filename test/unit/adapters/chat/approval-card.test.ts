import type { CardElement } from 'chat'
import { describe, expect, test } from 'vitest'
import { approvalCard } from '../../../../server/adapters/chat/approval-card'
import { platforms } from '../../../../server/platforms/registry'

const DETAILS = ['id', 'Submission: name', 'Submission: email', 'Submission: message', 'Submission: company']
const UUID = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const NOTES = [`Asked by ${'Ada '.repeat(20)}on WhatsApp. Nothing is done before somebody approves.`]

const detail = (label: string, value: string) => ({ label, value, edited: false })

const fieldsOn = ({ children }: CardElement) => children.flatMap(child => child.type === 'fields' ? child.children : [])
const labelsOn = (card: CardElement) => fieldsOn(card).map(({ label }) => label)

describe.each(platforms.map(platform => [platform.label, platform] as const))('a question on %s', (_, platform) => {
  const cardOf = (details: ReturnType<typeof detail>[]) => (
    approvalCard({ title: 'Forward submission', details, notes: NOTES, value: 'a.0' }, platform)
  )

  test('shows what it is about, and not its id alone', () => {
    const card = cardOf(DETAILS.map(label => detail(label, `its ${label}`)))
    expect(labelsOn(card)).toEqual(DETAILS.map(platform.escape))
  })

  test('shows a short change behind a long one whole, and names the long one as shortened', () => {
    const email = 'attacker@evil.example'
    const card = cardOf([
      detail('id', UUID), detail('Change message', 'Please quote 2 analytical engines. '.repeat(50)),
      detail('Change email', email), ...DETAILS.slice(1).map(label => detail(label, 'x'.repeat(200))),
    ])
    expect(fieldsOn(card)).toContainEqual(
      { type: 'field', label: platform.escape('Change email'), value: platform.escape(email) },
    )
    expect(card.children).toContainEqual(
      expect.objectContaining({ content: expect.stringMatching(/^Shortened: Change message[.,]/) }),
    )
  })

  test('shows the name and the beginning of as many long changes as a tool may ask for, within its limits', () => {
    const changes = Array.from({ length: 10 }, (_, at) => (
      detail(`Change field ${at} ${'n'.repeat(90)}`, `${at}*`.repeat(900))
    ))
    const otherDetails = DETAILS.slice(1).map(label => detail(label, '_'.repeat(200)))
    const fields = fieldsOn(cardOf([detail('id', UUID), ...changes, ...otherDetails]))
    const beginning = (label: string) => label.slice(0, 14)
    expect(fields.map(({ label }) => beginning(label))).toEqual(
      ['id', ...changes.map(({ label }) => label), ...DETAILS.slice(1).map(platform.escape)].map(beginning),
    )
    expect(fields.slice(1, 11).map(({ value }) => value[0])).toEqual(changes.map(({ value }) => value[0]))
    const length = fields.reduce((sum, { label, value }) => sum + label.length + value.length, 0)
    expect(length + NOTES[0]!.length).toBeLessThanOrEqual(platform.card.total)
  })
})
