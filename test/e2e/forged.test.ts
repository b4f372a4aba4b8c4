import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardOf, click, emailsAbout, openEdit } from '../support/deployment'
import { deployEverywhere } from '../support/everywhere'
import { endAfterTest } from '../support/lifetime'
import { startProxy } from '../support/proxy'
import { interact, viewSubmission } from '../support/slack'
import type { Held } from '../support/unlisted'
import { until } from '../support/until'
import { post, postJson } from '../support/webhook'

const d = await deployEverywhere(() => ({ env: { FORWARD_ENDPOINT: '', FORWARD_SIGNING_SECRET: '' } }))
const nowS = () => Math.floor(Date.now() / 1000)
const stateOf = async (id: string) => (await d.shown(id)).state

/** Tenant of another company, which can issue tokens for any app */
const TENANT = 'b1c2d3e4-0000-4000-8000-00000000e711'
const FORGERIES: Record<string, [what: string, sign: object | (() => object)][]> = {
  slack: [
    ['a wrong secret', { secret: 'wrong' }], ['no signature', { signature: null }],
    ['a signature of another shape', { signature: 'v0=00' }],
    ['a timestamp ten minutes old', () => ({ timestamp: nowS() - 600 })],
    ['a timestamp ten minutes ahead', () => ({ timestamp: nowS() + 600 })],
  ],
  discord: [
    ['no signature', { headers: { 'x-signature-ed25519': undefined } }],
    ['no timestamp', { headers: { 'x-signature-timestamp': undefined } }],
    ['a signature that is none', { headers: { 'x-signature-ed25519': 'zz' } }],
    ['another\'s signature', { headers: { 'x-signature-ed25519': '0'.repeat(128) } }],
    ['a changed body', { tamper: (body: string) => body.replace('spam', 'forward') }],
    ['a stale timestamp', () => ({ timestamp: nowS() - 310 })], ['a future one', () => ({ timestamp: nowS() + 310 })],
  ],
  teams: [
    ['no token', { authorization: null }], ['a key that Microsoft does not publish', { forged: true }],
    ['another audience', { claims: { aud: '00000000-0000-0000-0000-000000000000' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['a token that some Entra tenant issued for the app', {
      claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT, ver: '2.0' },
    }],
    ['one of the older kind', { claims: { iss: `https://sts.windows.net/${TENANT}/`, tid: TENANT, ver: '1.0' } }],
    ['an expired token', () => ({ expiresAt: nowS() - 3600 })],
    ['the token of another service', { claims: { serviceurl: 'https://evil.example/teams' } }],
  ],
  gchat: [
    ['no token', { authorization: null }], ['a key that Google does not publish', { forged: true }],
    ['a key that Google does not publish, by project', { as: 'project', forged: true }],
    ['the audience of another app', { claims: { aud: 'https://evil.example/api/webhooks/gchat' } }],
    ['the number of another project', { as: 'project', claims: { aud: '999999999999' } }],
    ['another issuer, by project', { as: 'project', claims: { iss: 'mallory@evil.iam.gserviceaccount.com' } }],
    ['the token of somebody else for our address', { claims: { email: 'mallory@evil.iam.gserviceaccount.com' } }],
    ['an address of Google Chat that Google did not verify', { claims: { email_verified: false } }],
    ['the token of another add-on', {
      as: 'add-on', claims: { email: 'service-999@gcp-sa-gsuiteaddons.iam.gserviceaccount.com' },
    }],
    ['an expired token', () => ({ expiresAt: nowS() - 3600 })],
  ],
  telegram: [
    ['no secret', { secret: null }], ['another secret', { secret: 'telegram-webhook-secreT' }],
    ['a longer secret', { secret: 'telegram-webhook-secret!' }],
  ],
  whatsapp: [['no signature', { secret: null }], ['another secret', { secret: 'ba'.repeat(16) }]],
}

afterEach(() => { d.resend.fault = () => undefined })

describe.each(d.tries)('a press on $platform', ({ platform, hold }) => {
  let id: string
  let card: Held
  beforeAll(async () => {
    id = await d.send()
    card = await hold(id)
  })

  it.each(FORGERIES[platform]!)('with %s is 401 and does nothing', async (_, sign) => {
    for (const action of ['forward', 'spam'] as const) {
      const answer = await card.press(action, { sign: typeof sign === 'function' ? sign() : sign })
      expect(answer.status).toBe(401)
    }
    await d.server.drain()
    expect([await stateOf(id), emailsAbout(d, id)]).toEqual(['waiting', []])
  })

  it('that the platform signed decides', async () => {
    expect((await card.press('spam')).status).toBe(200)
    await until('the decision', async () => await stateOf(id) === undefined)
  })
})

describe('a request that is sent again after its forward failed decides nothing', () => {
  const claims = (id: string) => d.server.output().split('\n').filter(line => line.includes('"submission.claimed"')
    && line.includes(id))

  /** Sends a form, and makes Resend refuse its email. A forward then fails, which reopens the submission. */
  async function refusedForm(): Promise<string> {
    d.resend.fault = ({ method }) => method === 'POST'
      ? { status: 403, body: '{"name":"invalid_api_key","message":"API key is invalid","statusCode":403}' }
      : undefined
    return d.send()
  }

  async function expectOnce(id: string, send: () => Promise<Response>): Promise<void> {
    expect((await send()).status).toBe(200)
    const open = await until('the card open again', async () => {
      const card = await cardOf(d, id)
      return blockText(card.blocks).includes('Email failed') && card
    })
    d.resend.fault = () => undefined
    const before = emailsAbout(d, id).length
    for (let again = 0; again < 2; again++) expect((await send()).status).toBe(200)
    await d.server.drain()
    expect([claims(id).length, emailsAbout(d, id).length]).toEqual([1, before])
    await click(d, open, 'forward', id)
    expect([claims(id).length, emailsAbout(d, id).length]).toEqual([2, before + 1])
  }

  it.each(d.tries)('when it is a click on $platform', async ({ platform, hold }) => {
    const id = await refusedForm()
    const recorder = endAfterTest(await startProxy(() => Response.json({ type: 6 })))
    await (await hold(id)).press('forward', { url: recorder.url })
    const { headers: { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers }, body }
      = recorder.requests.at(-1)!
    await expectOnce(id, () => fetch(`${d.server.url}/api/webhooks/${platform}`, {
      method: 'POST', headers: headers as Record<string, string>, body,
    }))
  })

  it('when it is an edit form of Slack', async () => {
    const id = await refusedForm()
    const payload = viewSubmission(await openEdit(d, await cardOf(d, id), id), { f0: 'Grace' }, d.slack.reviewer)
    await expectOnce(id, () => interact(d.server.url, payload))
  })
})

it('an event of Discord\'s gateway that is handed over twice is answered once, and with a forged token never', async () => {
  const { discord } = d.doubles
  const handOver = (token: string) => {
    const data = {
      id: '7', token: 'of-this-command', type: 2, data: { name: 'forms', options: [] }, guild_id: discord.guildId,
      channel_id: discord.channelId, member: { user: { id: '8', username: 'ada' } },
    }
    return post(`${d.server.url}/api/webhooks/discord`, {
      headers: { 'x-discord-gateway-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'GATEWAY_INTERACTION_CREATE', timestamp: Date.now(), data }),
    })
  }
  expect((await handOver(`${discord.botToken}x`)).status).toBe(401)
  for (let times = 0; times < 2; times++) expect((await handOver(discord.botToken)).status).toBe(200)
  await d.server.drain()
  expect(discord.requests.filter(({ path }) => path.includes('/interactions/7/'))).toHaveLength(1)
})

it('a webhook of Google Chat in the envelope of Pub/Sub, whose sender nothing proves, is refused', async () => {
  const said = { message: { name: 'spaces/AAAAtriage/messages/x', text: 'pending' } }
  const { status } = await postJson(`${d.server.url}/api/webhooks/gchat`, {
    subscription: 'projects/anybody/subscriptions/x',
    message: {
      data: Buffer.from(JSON.stringify(said)).toString('base64'),
      attributes: { 'ce-type': 'google.workspace.chat.message.v1.created' },
    },
  })
  expect(status).toBe(401)
})

/** Returns an unsigned token of this issuer. */
function unsigned(iss: string): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
  return `Bearer ${part({ alg: 'RS256', kid: 'x' })}.${part({ iss, exp: 4_000_000_000 })}.x`
}

it.each([
  ['teams', {}], ['gchat', {}], ['telegram', {}], ['teams', { authorization: 'Bearer x' }],
  ['gchat', { authorization: 'Bearer x' }], ['teams', { authorization: unsigned('https://api.botframework.com') }],
  ['gchat', { authorization: unsigned('https://accounts.google.com') }],
  ['telegram', { 'x-telegram-bot-api-secret-token': 'wrong' }],
])('a webhook of %s with the headers %o is refused before its body is there', async (platform, headers) => {
  const { hostname, port } = new URL(d.server.url)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({
    'host': 'x', 'content-type': 'application/json', 'content-length': 250_000, ...headers,
  })
  socket.write([
    `POST /api/webhooks/${platform} HTTP/1.1`, ...lines.map(line => line.join(': ')), '', '['.repeat(100_000),
  ].join('\r\n'))
  const [answer] = await once(socket, 'data') as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})

it.each([
  ['slack', 1024, 401, 413], ['teams', 256, 401, 401], ['gchat', 256, 401, 401], ['telegram', 1024, 400, 413],
])('a webhook of %s has at most %i KiB', async (platform, kib, whole, longer) => {
  const signed = { 'x-telegram-bot-api-secret-token': d.env.TELEGRAM_WEBHOOK_SECRET_TOKEN! }
  const send = (bytes: number) => postJson(`${d.server.url}/api/webhooks/${platform}`, 'x'.repeat(bytes), signed)
  expect([(await send(kib * 1024)).status, (await send(kib * 1024 + 1)).status]).toEqual([whole, longer])
})
