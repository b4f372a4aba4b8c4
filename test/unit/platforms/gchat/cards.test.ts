import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { googleCard } from '../../../../server/platforms/gchat/cards'
import { modernEvent } from '../../../../server/platforms/gchat/events'
import { gchat } from '../../../../server/platforms/gchat/definition'
import { printable } from '../../../../server/platforms/shared/text'
import type { CardView } from '../../../../server/ports/board'
import { anyFields, anyView, largestView, openView, URL_OF_ONE, SITE } from '../../../fixtures/views'
import { googleButtons, googleCardText, googleMessageProblems } from '../../../support/google-card'
import { runs } from '../../../support/properties'

const ENDPOINT = 'https://forms.example.com/api/webhooks/gchat'

function messageOf(view: CardView) {
  const { card, summary } = renderCard(view, gchat)
  return { fallbackText: summary, cardsV2: [googleCard(card, ENDPOINT)] }
}

test('Google Chat takes the card of any form, and nothing in it has an effect', () => {
  fc.assert(fc.property(anyView, (view) => {
    const message = messageOf(view)
    expect(googleMessageProblems(message)).toEqual([])
    const { links } = googleCardText(message)
    expect(links.every(link => link === URL_OF_ONE || link.startsWith(`${SITE}/api/files/`))).toBe(true)
  }), { numRuns: runs(300) })
})

test.each(['a', 'é', '界', '👍', '"', '&', '\n', '\u0001'])('Google Chat takes the largest card of %j', (unit) => {
  for (const size of [1, 20, 100, 3000]) expect(googleMessageProblems(messageOf(largestView(unit, size)))).toEqual([])
})

test('every field appears as it was typed, up to the length that is shown', () => {
  fc.assert(fc.property(anyFields, (data) => {
    const { text } = googleCardText(messageOf(openView(data)))
    for (const [label, value] of Object.entries(data)) if (label.trim()) {
      expect(text).toContain(`${printable(label)}\n${printable(value) || '—'}`)
    }
  }))
})

test('buttons send clicks to the webhook, and editing is a link', () => {
  const message = messageOf(openView({ a: 'b' }))
  expect(googleButtons(message).map(({ text, onClick }) => [text, onClick.action])).toEqual([
    ['Forward Submission', {
      function: ENDPOINT, parameters: [{ key: 'actionId', value: 'forward' }, { key: 'value', value: 'one' }],
    }],
    ['Mark as Spam', {
      function: ENDPOINT, parameters: [{ key: 'actionId', value: 'spam' }, { key: 'value', value: 'one' }],
    }],
  ])
  expect(googleCardText(message)).toMatchObject({
    text: expect.stringContaining('Edit & Forward on the web') as string, links: [URL_OF_ONE],
  })
})

describe('an event', () => {
  test('of a Chat app is read like an add-on\'s', () => {
    const message = { name: 'spaces/A/messages/1', createTime: '2026-11-21T12:00:00Z' }
    const event = { type: 'MESSAGE', user: { name: 'users/1' }, space: { name: 'spaces/A' }, message }
    expect(JSON.parse(modernEvent(JSON.stringify(event)))).toEqual({
      chat: { user: event.user, messagePayload: { user: event.user, space: event.space, message } },
    })
  })

  test.each([
    'not json', 'null', '[]', '{}', '{"type":"constructor"}', '{"message":{"data":"x"},"subscription":"s"}',
  ])('that is %s stays as it is', body => expect(modernEvent(body)).toBe(body))
})
