import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../server/adapters/chat/cards'
import { editModal } from '../../../server/adapters/chat/modals'
import { editForm } from '../../../server/domain/cards/card-view'
import { gchat } from '../../../server/platforms/gchat/definition'
import { googleCard } from '../../../server/platforms/gchat/cards'
import { cardBlocks, modalView } from '../../../server/platforms/slack/blocks'
import { slack } from '../../../server/platforms/slack/definition'
import { formData } from '../../fixtures/form-data'
import { anyView, PRESENTATION, submissionOf } from '../../fixtures/views'
import { undescribed as undescribedByGoogle, undescribedMessages } from '../../support/gchat-bodies'
import { runs, SEED } from '../../support/properties'
import { startProxy, type Recorded } from '../../support/proxy'
import { undescribed, undescribedAnswer } from '../../support/slack-bodies'

const sent = (path: string, body: string | object, type = 'application/json'): Recorded => ({
  method: 'POST', path, headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body),
  at: 0,
})
const say = (more: object) => sent('/api/chat.postMessage', { channel: 'C1', text: 'x', ...more })

const sample = <T>(of: fc.Arbitrary<T>) => fc.sample(of, { seed: SEED, numRuns: runs(200) })

describe('Slack\'s packages describe', () => {
  test('a call, in JSON or as a form', async () => {
    const form = 'channel=C1&text=7&unfurl_links=false&blocks=[{"type":"divider"}]'
    expect(await undescribed([
      say({ blocks: [{ type: 'divider' }] }),
      sent('/api/chat.postMessage', form, 'application/x-www-form-urlencoded'),
    ])).toEqual([])
  })

  test('no other call, argument, block, element or answer', async () => {
    expect(await undescribed([
      sent('/api/chat.postMesage', {}), say({ unfurl_link: false }), say({ blocks: [{ type: 'dividr' }] }),
      say({ blocks: [{ type: 'section', text: { type: 'markdown', text: 'x' } }] }),
      sent('/commands/T1/2', { response_type: 'all' }),
    ])).toEqual(['chat.postMesage', 'unfurl_link', 'dividr', 'markdown', 'markdown', 'all'].map(
      (odd): unknown => expect.stringMatching(new RegExp(`['"]${odd}['"]`)),
    ))
    const view = { type: 'modal', title: { type: 'mrkdwn', text: 'x' }, blocks: [] }
    expect(await undescribedAnswer({ response_action: 'update', view })).toEqual([expect.stringContaining('mrkdwn')])
  })

  test('the card and the edit form of anything', async () => {
    const cards = sample(anyView).map(view => say({ blocks: cardBlocks(renderCard(view, slack).card) }))
    expect(await undescribed(cards), `seed ${SEED}`).toEqual([])
    const views = sample(formData).map(data => modalView(
      editModal(editForm(submissionOf(data), PRESENTATION), 'slack')!, 'context',
    ))
    const opened = views.map(view => sent('/api/views.open', { trigger_id: '1', view }))
    expect(await undescribed(opened), `seed ${SEED}`).toEqual([])
  })
})

describe('Google\'s package describes', () => {
  test('no other widget, and no text that is none', async () => {
    const widgets = [{ textParagraf: { text: 'x' } }]
    expect(await undescribedByGoogle([
      sent('/v1/spaces/A/messages', { cardsV2: [{ cardId: 'a', card: { sections: [{ widgets }] } }] }),
      sent('/v1/spaces/A/messages', { text: 7 }),
    ])).toEqual([expect.stringContaining('textParagraf'), expect.stringContaining('number')])
  })

  test('the card of anything', async () => {
    expect(await undescribedMessages(sample(anyView).map((view) => {
      const { card, summary } = renderCard(view, gchat)
      return { fallbackText: summary, cardsV2: [googleCard(card, 'https://forms.example.com/api/webhooks/gchat')] }
    })), `seed ${SEED}`).toEqual([])
  })
})

test('what a vendor took and does not describe is an error when its double is closed', async () => {
  const vendor = await startProxy(
    ({ path }) => new Response(null, { status: path === '/refused' ? 400 : 200 }),
    async requests => requests.map(({ path }) => `${path} is odd`),
  )
  await fetch(`${vendor.url}/taken`)
  await fetch(`${vendor.url}/refused`)
  vendor.requests.length = 0
  await expect(vendor.close()).rejects.toThrow(/describes it:\n\/taken is odd$/)
})
