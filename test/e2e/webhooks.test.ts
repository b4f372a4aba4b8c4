import { describe, expect, it } from 'vitest'
import { deploy, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { blockActions, interact, sendEvent } from '../support/slack'
import { until } from '../support/until'

// Keep the real lease. With a shorter one, other processes would take over work that hangs on purpose.
const d = endAfterAll(await deploy())

describe('POST /api/webhooks/<platform>', () => {
  it('answers Slack\'s URL verification, also under the alias chat', async () => {
    for (const platform of ['slack', 'chat']) {
      const response = await sendEvent(
        d.server.url, { type: 'url_verification', challenge: 'c-123', token: 't' }, { platform },
      )
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ challenge: 'c-123' })
    }
  })

  it('carries interactions under the alias too', async () => {
    const { id, card } = await submit(d, { name: 'alias' })
    const response = await interact(
      d.server.url, blockActions(card, 'spam', id, d.slack.reviewer), { platform: 'chat' },
    )
    await d.server.drain()
    expect(response.status).toBe(200)
    expect(d.server.output()).toContain(`"submission":"${id}","action":"spam"`)
  })

  it.each([
    'nowhere', 'discord', 'sandbox', 'constructor', '%3Cscript%3E',
  ])('is 404 with the platform\'s name for %s', async (platform) => {
    const response = await fetch(`${d.server.url}/api/webhooks/${platform}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toContain('application/json')
    const said = `Unknown platform: ${decodeURIComponent(platform)}`
    expect(await response.json()).toEqual({ error: said, message: said })
  })

  it.each([
    ['not JSON', 'payload=%7B'], ['no payload', 'x=1'],
  ])('with a true signature over %s is a 4xx', async (_, body) => {
    const { createHmac } = await import('node:crypto')
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = `v0=${createHmac('sha256', d.env.CHAT_SIGNING_SECRET!).update(`v0:${timestamp}:${body}`).digest('hex')}`
    const response = await fetch(`${d.server.url}/api/webhooks/slack`, { method: 'POST', body, headers: {
      'content-type': 'application/x-www-form-urlencoded', 'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': signature,
    } })
    expect(response.status).toBe(400)
  })

  it('acknowledges a click before its work is done', async () => {
    const { id, card } = await submit(d, { name: 'slow' })
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = () => ({ hold: gate.promise })
    const response = await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    expect(response.status).toBe(200)
    await until('the email on its way', () => d.resend.requests.some(({ body }) => body.includes(id)))
    expect(d.resend.requests.at(-1)!.status).toBeUndefined()
    d.resend.fault = () => undefined
    gate.resolve(undefined)
    await d.server.drain()
    expect(d.resend.requests.at(-1)!.status).toBe(200)
  })
})
