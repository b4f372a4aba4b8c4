import { beforeEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, cardOf, click, deploy, submitForm, type Deployment } from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import type { Recorded } from '../support/proxy'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD, type Visitor } from '../support/visitor'

const SECRET = 'a-secret-of-some-length'

let d: Deployment
let ada: Visitor
beforeEach(async () => {
  d = endAfterTest(await deploy({ ...WITH_PASSWORD, TRUST_PROXY: '1', RETRY_BASE_MS: '300', CRON_SECRET: SECRET }))
  await signIn()
  // The first sweep retries cards refused before the start; wait for it.
  expect(
    (await fetch(`${d.server.url}/api/cron/sweep`, { headers: { authorization: `Bearer ${SECRET}` } })).status,
  ).toBe(200)
})

async function signIn(): Promise<void> {
  ada = visit(d.server)
  expect((await ada.signIn(PASSWORD)).status).toBe(200)
}

const REFUSAL = { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' }
const isPost = ({ path }: Recorded) => path === '/api/chat.postMessage'
const attempts = () => d.slack.requests.filter(isPost)
const idOf = ({ body }: Recorded) => /"value":"([\w-]{36})"/.exec(body)?.[1]
const send = (data: object) => submitForm(d.server, data)

/** Makes Slack refuse every card of a form that contains this word, even a card that does not show the form. */
function refuseAllAbout(word: string): void {
  const refused = new Set<string | undefined>()
  d.slack.fault = (request) => {
    if (!isPost(request)) return undefined
    if (request.body.includes(word)) refused.add(idOf(request))
    return refused.has(idOf(request)) ? REFUSAL : undefined
  }
}

describe('a card that Slack refuses for what it says', () => {
  it('is posted without the form, and is decided and closed like any other', async () => {
    d.slack.fault = ({ body }) => body.includes('poison') ? REFUSAL : undefined
    const id = await send({ name: 'Ada', text: 'poison' })
    const card = await cardOf(d, id)
    const text = blockText(card.blocks)
    expect(text).toContain('New Form Submission')
    expect(text).toContain(id)
    expect(JSON.stringify(card.blocks)).toContain(`https://forms.example.com/submissions/${id}`)
    expect(card.blocks.flatMap(({ elements = [] }) => (
      elements.map(({ action_id: action }: { action_id?: string }) => action)
    )).filter(Boolean)).toEqual(expect.arrayContaining(['forward', 'edit', 'spam']))
    expect(JSON.stringify(card)).not.toMatch(/Ada|The form was empty/)

    await click(d, card, 'forward', id)
    const closed = await until('the card closed', async () => {
      const now = await cardNow(d, card)
      return !now.blocks.some(({ type }) => type === 'actions') && now
    })
    expect(blockText(closed.blocks)).toContain('Form Submission forwarded')
    expect(await d.resend.emails()).toHaveLength(1)
  })

  it('in any shape leaves the queue: twenty of them hold up nobody', async () => {
    refuseAllAbout('poison')
    await Promise.all(Array.from({ length: 20 }, () => send({ text: 'poison' })))
    const good = await Promise.all(Array.from({ length: 5 }, (_, index) => send({ text: `good ${index}` })))
    await Promise.all(good.map(id => cardOf(d, id)))
    await d.server.drain()
    // Once in full and once without the form, and then no more
    expect(attempts().filter(({ body }) => body.includes('poison'))).toHaveLength(20)
    expect(attempts().filter(request => idOf(request))).toHaveLength(45)
  })
})

describe('a room that takes no card', () => {
  it('is tried with one card at a time, and all come once it does', async () => {
    let open = false
    d.slack.fault = request => isPost(request) && !open
      ? { status: 200, body: '{"ok":false,"error":"not_in_channel"}' }
      : undefined
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => send({ text: `form ${index}` })))
    await until('a second attempt', () => attempts().length > 1)
    expect(new Set(attempts().map(idOf)).size).toBeLessThan(10)
    open = true
    await Promise.all(ids.map(id => cardOf(d, id)))
    await d.server.drain()
    expect((await d.slack.messages())).toHaveLength(20)
  })
})
