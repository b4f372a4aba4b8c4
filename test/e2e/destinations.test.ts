import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { restart } from '../support/crash-points'
import { cardNow, cardOf, click, deploy, sendForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { startProxy, type Recorded } from '../support/proxy'
import { holding } from '../support/redis-keys'
import { blockActions, inChannel, interact } from '../support/slack'
import { until } from '../support/until'

/** Channel that the Slack emulator creates as #random */
const RANDOM = 'C000000002'
const SECRET = `whsec_${Buffer.from('the secret of the CRM alone').toString('base64')}`
const [crm, erp, shaky] = await Promise.all([startProxy(), startProxy(), startProxy()].map(async each => (
  endAfterAll(await each)
)))
const FORMS_CONFIG = formsFile({
  quotes: { name: 'Quotes', destinations: [
    { kind: 'email', to: 'sales@example.com', cc: 'boss@example.com', bcc: ['archive@example.com'] },
    { kind: 'email', name: 'Partners', to: ['ada@example.org', 'bob@example.net'], separate: true },
    {
      kind: 'endpoint', name: 'CRM', url: `${crm!.url}/leads`, secret: SECRET, method: 'PUT',
      headers: { Authorization: 'Bearer t0ken' },
      body: { title: '{{subject}}', seats: '{{seats}}', all: '{{answers}}' },
    },
    { kind: 'endpoint', name: 'ERP', url: `${erp!.url}/orders`, when: { topic: 'order' } },
    { kind: 'channel', channel: `slack:${RANDOM}` },
  ] },
  three: { name: 'Three', destinations: [
    { kind: 'endpoint', name: 'One', url: `${crm!.url}/one` },
    { kind: 'endpoint', name: 'Two', url: `${erp!.url}/two` },
    { kind: 'endpoint', name: 'Shaky', url: `${shaky!.url}/three` },
  ] },
  nowhere: { name: 'Nowhere', destinations: [{ kind: 'endpoint', url: `${erp!.url}/x`, when: { topic: 'order' } }] },
})
const d = endAfterAll(await deploy({
  FORMS_CONFIG, CARD_INTERVAL_MS: '0', LEASE_MS: '3000', SWEEP_INTERVAL_MS: '50', RETRY_BASE_MS: '20',
}))

async function post(form: string, body: object) {
  const { submissionId: id } = await (await sendForm(d.server, body, {}, `/${form}`)).json() as { submissionId: string }
  await d.server.drain()
  return { id, card: await cardOf(d, id) }
}

const about = (vendor: typeof crm, text: string) => vendor!.requests.filter(({ body }) => body.includes(text))

test('a forward goes to every destination that takes it, in the way that each is set', async () => {
  const { id, card } = await post('quotes', { name: 'Grace Hopper', topic: 'Quote', seats: 40 })
  await click(d, card, 'forward', id)
  await d.server.drain()
  const emails = d.resend.requests.filter(({ body }) => body.includes(id)).map(({ body }) => (
    JSON.parse(body) as { to: string[], cc?: string[], bcc?: string[] }
  ))
  expect(emails.map(({ to, cc, bcc }) => [to, cc, bcc]).sort()).toEqual([
    [['ada@example.org'], undefined, undefined], [['bob@example.net'], undefined, undefined],
    [['sales@example.com'], ['boss@example.com'], ['archive@example.com']],
  ])
  const [lead] = about(crm, 'Grace Hopper')
  expect(lead).toMatchObject({ method: 'PUT', path: '/leads' })
  expect(lead!.headers.authorization).toBe('Bearer t0ken')
  expect(new Webhook(SECRET).verify(lead!.body, lead!.headers as Record<string, string>)).toEqual({
    title: '[Quotes] Quote', seats: 40, all: { name: 'Grace Hopper', topic: 'Quote', seats: 40 },
  })
  expect(about(erp, 'Grace Hopper')).toEqual([])
  const shown = blockText((await cardNow(d, card)).blocks)
  for (const line of ['CRM: sent to', 'sales@example.com: sent to', 'ada@example.org: sent to', ', answer 200']) {
    expect(shown).toContain(line)
  }
  expect(shown).not.toContain('ERP')
})

test('a copy of the card in another channel has no buttons, and nobody decides there', async () => {
  const { id, card } = await post('quotes', { name: 'Katherine Johnson', topic: 'Quote' })
  await click(d, card, 'forward', id)
  await d.server.drain()
  const isCopy = ({ channel, blocks }: Record<string, unknown>) => (
    channel === RANDOM && JSON.stringify(blocks).includes('Katherine Johnson')
  )
  const copies = d.slack.calls('chat.postMessage').filter(isCopy)
  expect(copies).toHaveLength(1)
  expect(JSON.stringify(copies[0])).not.toContain('"action_id"')
  await interact(d.server.url, inChannel(blockActions(card, 'spam', id, d.slack.reviewer), RANDOM))
  await d.server.drain()
  expect(blockText((await cardNow(d, card)).blocks)).toContain('Form Submission forwarded')
})

test('a form that no destination takes is not forwarded; its reviewer is told why, and nothing is lost', async () => {
  const { id, card } = await post('nowhere', { name: 'Mary Jackson', topic: 'Quote' })
  await click(d, card, 'forward', id)
  await d.server.drain()
  const [told] = d.slack.calls('chat.postEphemeral').slice(-1)
  expect(JSON.stringify(told)).toContain('Nothing would be sent')
  expect((await holding(d.redis.url, 'Mary Jackson')).length).toBeGreaterThan(0)
  expect(JSON.stringify((await cardNow(d, card)).blocks)).toContain('"action_id":"forward"')
})

test('one destination fails half the time, and the server is killed at every step: each gets every form once', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `Form number ${index + 1}.`)
  const [first, second, third] = [crm!, erp!, shaky!]
  let attempts = 0
  third.fault = () => ++attempts % 2 === 1 ? { status: 500 } : undefined
  for (const name of names) {
    const { id, card } = await post('three', { name })
    // Each form has its kill: after one of the answers, which is lost with the server.
    const victim = [first, second, third][names.indexOf(name) % 3]!
    const earlier = victim.fault
    const killed = new Promise<void>((resolve) => {
      victim.fault = () => {
        victim.fault = earlier
        return { hold: d.server.kill().then(resolve) }
      }
    })
    void interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer)).catch(() => {})
    await killed
    await restart(d)
  }
  await until('every form delivered', async () => (await holding(d.redis.url, 'Form number')).length === 0)
  for (const vendor of [first, second, third]) {
    // A POST that a kill repeats has the same key, so that the receiver knows it.
    const keysOf = (requests: Recorded[]) => [...new Set(requests.map(({ headers }) => headers['idempotency-key']))]
    for (const name of names) {
      const requests = about(vendor, name)
      expect(keysOf(requests), name).toHaveLength(1)
      expect(keysOf(requests.filter(({ status }) => status === 200)), name).toHaveLength(1)
    }
  }
})
