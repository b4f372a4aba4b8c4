import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUT } from '../../server/adapters/redis/store/scripts'
import { arm, restart, taken } from '../support/crash-points'
import { cardNow, deploy, sendForm, submit, type Deployment } from '../support/deployment'
import { holding } from '../support/redis-keys'
import { startServer } from '../support/server'
import { blockActions, interact, type SlackMessage } from '../support/slack'
import { startTcpProxy, type Command, type TcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

const FORM = { 'name': 'Ada', 'unique-field': 'unique-value' }
const put = ({ sha }: Command) => sha === PUT.sha

let d: Deployment
let tcp: TcpProxy
beforeAll(async () => {
  tcp = await startTcpProxy()
  d = await deploy({
    STORE_URL: tcp.url, NODE_ENV: 'development', UNDO_SECONDS: '300', SPAM_HOLD: '1h', LEASE_MS: '4000',
    FORWARD_ERASURES: '1',
  })
  tcp.use(d.redis.port)
  // From here on, Redis has loaded every script, so running a script takes exactly one command.
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
})
afterAll(async () => {
  await d.close()
  await tcp.close()
})

const press = (card: SlackMessage, action: string, id: string) => (
  interact(d.server.url, blockActions(card, action, id, d.slack.reviewer))
)
const buttons = async (card: SlackMessage) => (await cardNow(d, card)).blocks.flatMap(({ type, elements }) => (
  type === 'actions' ? (elements as { action_id: string }[]).map(({ action_id: action }) => action) : []
)).join()
const showing = (card: SlackMessage, wanted: string) => until(
  `the card with ${wanted || 'no buttons'}`, async () => await buttons(card) === wanted,
)
/** Waits until the forward is done. Missing buttons are no proof: the card has none while the forward is on its way. */
async function wentOut(card: SlackMessage): Promise<void> {
  await showing(card, '')
  await d.server.drain()
}
const emails = async (id: string) => (await d.resend.emails()).filter(({ html }) => html.includes(id)).length
const erase = (id: string) => fetch(`${d.server.url}/api/submissions/${id}`, { method: 'DELETE' })

/**
 * Kills the server at this point of `act`, and starts another one. Waits for earlier work first, because its last
 * write would be mistaken for the write of `act`.
 */
async function killed(at: Parameters<typeof arm>[2]['at'], act?: () => Promise<Response>): Promise<void> {
  await d.server.drain()
  const dead = arm(d, tcp, { at }, 0)
  await Promise.all([act && taken(act), dead])
  await restart(d)
}

async function decided(action: 'forward' | 'spam') {
  const { id, card } = await submit(d, FORM)
  await until(`the decision ${action}`, async () => {
    // On a slow machine Redis may not answer in time; the reviewer then clicks again.
    await press(card, action, id)
    await d.server.drain()
    return await buttons(card) === (action === 'forward' ? 'undo' : 'not_spam')
  })
  return { id, card }
}

describe('SIGKILL', () => {
  it('at an undo that is not written: it goes out or is undone by the next one, and never both', async () => {
    const { id, card } = await decided('forward')
    await killed({ redis: put, phase: 'before' }, () => press(card, 'undo', id))
    await press(card, 'undo', id)
    await until('one or the other', async () => await buttons(card) !== 'undo')
    await d.server.drain()
    expect(await emails(id)).toBe(await buttons(card) === '' ? 1 : 0)
  })

  it('at an undo that is written: its card offers the decisions, and nothing goes out', async () => {
    const { id, card } = await decided('forward')
    await killed({ redis: put, phase: 'after' }, () => press(card, 'undo', id))
    await showing(card, 'forward,edit,spam')
    await d.server.drain()
    expect(await emails(id)).toBe(0)
  })

  it('at spam that is kept, and at taking it back: it is one or the other, with its data', async () => {
    const { id, card } = await submit(d, FORM)
    await killed({ redis: put, phase: 'after' }, () => press(card, 'spam', id))
    await showing(card, 'not_spam')
    await killed({ redis: put, phase: 'before' }, () => press(card, 'not_spam', id))
    expect(await buttons(card)).toBe('not_spam')
    await killed({ redis: put, phase: 'after' }, () => press(card, 'not_spam', id))
    await showing(card, 'forward,edit,spam')
    expect(await holding(d.redis.url, 'unique-value')).toContain(`{triage}:d:${id}`)
  })

  it('at an erasure: not written, all is there and it is erased again; written, cards and endpoint follow', async () => {
    const { id, card } = await submit(d, FORM)
    await d.server.drain()
    await killed({ redis: put, phase: 'before' }, () => erase(id))
    expect(await holding(d.redis.url, 'unique-value')).toContain(`{triage}:d:${id}`)
    await killed({ redis: put, phase: 'after' }, () => erase(id))
    expect((await holding(d.redis.url, 'unique-')).filter(key => key.includes(id))).toEqual([])
    await showing(card, '')
    expect(JSON.stringify(await cardNow(d, card))).toMatch(/Erased by Local/)
    expect((await erase(id)).status).toBe(410)
    const toldOf = ({ body }: { body: string }) => JSON.parse(body).data?.submission === id
    await until('the endpoint told', () => d.endpoint.requests.some(toldOf))
  })

  describe('when what can be undone goes out in a moment', () => {
    beforeAll(async () => {
      await d.server.kill()
      d.env.UNDO_SECONDS = '10'
      d.server = await startServer(d.env)
    })

    it('while a forward can be undone: it goes out once', async () => {
      const { id, card } = await submit(d, FORM)
      await killed({ redis: put, phase: 'after' }, () => press(card, 'forward', id))
      await wentOut(card)
      expect(await emails(id)).toBe(1)
    })

    it('when it is to go out, before and after that is written: it goes out once', async () => {
      for (const phase of ['before', 'after'] as const) {
        const { id, card } = await decided('forward')
        await killed({ redis: put, phase })
        await wentOut(card)
        expect(await emails(id)).toBe(1)
      }
    })
  })
})
