import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cardNow, click, deploy, sendForm, submit, type Deployment } from '../support/deployment'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { startRedis, type RedisServer } from '../support/redis-server'
import { startServer } from '../support/server'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'

/** Starts a deployment with Redis behind a proxy. */
async function deployBehind(tcp: TcpProxy): Promise<Deployment> {
  const deployment = await deploy({ STORE_URL: tcp.url, ...WITH_PASSWORD, TRUST_PROXY: '1' })
  tcp.use(deployment.redis.port)
  return deployment
}

const sharedProxy = endAfterAll(await startTcpProxy())
const shared = endAfterAll(await deployBehind(sharedProxy))
let [tcp, d] = [sharedProxy, shared]
/** Length of the server's output at the beginning of the test */
let begin = 0
beforeEach(async () => {
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  begin = d.server.output().length
})

async function restart(env: Record<string, string> = {}): Promise<void> {
  await d.server.kill()
  d.server = await startServer({ ...d.env, ...env })
  begin = 0
}

const ready = async () => await (await fetch(`${d.server.url}/api/ready`)).json() as {
  ready: boolean
  reasons: string[]
  warnings: string[]
}
const statusOfForm = async () => (await sendForm(d.server, { name: 'during' })).status
const isReady = (ready_: boolean) => until(`ready: ${ready_}`, async () => (await ready()).ready === ready_)

/** Returns this event's log entries since the beginning of the test. */
const toldOf = (event: string) => d.server.output().slice(begin).split('\n').filter(
  line => line.includes(`"${event}"`),
).map(line => JSON.parse(line) as { level: string, reason?: string })

/** Runs commands on a Redis directly, not through the proxy. */
async function on<T>({ url }: RedisServer, run: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
  const client = createClient({ url })
  await client.connect()
  return run(client).finally(() => client.destroy())
}

it('a store is not copied while the service runs on it', async () => {
  const target = `sqlite:${join(testFolder(), 'forms.db')}`
  const command = promisify(execFile)(process.execPath, ['scripts/store.mjs', 'copy', d.redis.url, target])
  await expect(command).rejects.toMatchObject({ stderr: expect.stringMatching(/^A service uses one of the two/) })
})

describe('readiness tests a write, and names what to change:', () => {
  it.each([
    ['a full store', ['CONFIG', 'SET', 'maxmemory'], '1mb', '0', /OOM.*raise maxmemory/],
    [
      'a store without its replicas', ['CONFIG', 'SET', 'min-replicas-to-write'], '1', '0',
      /NOREPLICAS.*min-replicas-to-write/,
    ],
    [
      'a store whose user may run no script', ['ACL', 'SETUSER', 'default'], '-@scripting', '+@all',
      /NOPERM.*allow all commands/,
    ],
  ])('%s, which the log says once', async (_what, command, bad, good, reason) => {
    await on(d.redis, client => client.sendCommand([...command, bad]))
    expect(await statusOfForm()).toBe(503)
    await isReady(false)
    expect((await ready()).reasons).toEqual([expect.stringMatching(reason)])
    expect(await statusOfForm()).toBe(503)
    await on(d.redis, client => client.sendCommand([...command, good]))
    await isReady(true)
    await until('a form accepted', async () => await statusOfForm() === 200)
    await until('the end of it told', () => toldOf('redis.reachable').length > 0)
    expect(toldOf('redis.unreachable')).toEqual([expect.objectContaining({
      level: 'error', reason: expect.stringMatching(reason) as string,
    })])
  })

  it('a store whose user may touch only half of the keys, although forms are taken', async () => {
    const allow = (...rules: string[]) => on(
      d.redis, client => client.sendCommand(['ACL', 'SETUSER', 'default', ...rules]),
    )
    await allow('resetkeys', '~{triage}:*')
    expect(await statusOfForm()).toBe(200)
    await isReady(false)
    expect((await ready()).reasons).toEqual([expect.stringMatching(/NOPERM.*on keys \{triage\}:\* and chat-sdk:\*/)])
    await allow('~*')
    await isReady(true)
  })

  it('leaves nothing behind', async () => {
    for (let times = 0; times < 5; times++) expect((await ready()).ready).toBe(true)
    const [size, lives] = await on(
      d.redis, client => Promise.all([client.strLen('{triage}:probe'), client.pTTL('{triage}:probe')]),
    )
    expect(size).toBeLessThanOrEqual(1)
    expect(lives).toBeLessThanOrEqual(1000)
    // Redis returns -1 for a key without expiry.
    expect(lives).not.toBe(-1)
  })

  it('half a copy, on which no form is stored', async () => {
    await on(d.redis, client => client.set('{triage}:copying', '1'))
    await restart()
    expect(await statusOfForm()).toBe(503)
    expect((await ready()).reasons.join()).toMatch(/Redis has only half of a copy/)
    await on(d.redis, client => client.del('{triage}:copying'))
    await restart()
    expect(await statusOfForm()).toBe(200)
  })

  it('a Redis that throws submissions away when it is full, which the start says too, until that is changed', async () => {
    const policy = (name: string) => on(d.redis, client => client.configSet({ 'maxmemory-policy': name }))
    await policy('volatile-lru')
    await restart()
    await until('the line in the log', () => d.server.output().includes('"redis.evicts"'))
    const told = /^Redis deletes submissions when its memory is full: its maxmemory-policy is volatile-lru/
    await until('the warning', async () => (await ready()).warnings.some(line => told.test(line)))
    const ada = visit(d.server)
    await ada.signIn(PASSWORD)
    const advice = async () => (await (await ada.get('/api/status')).json() as { advice: string[] }).advice
    expect(await advice()).toEqual([expect.stringMatching(told)])
    await policy('noeviction')
    expect((await ready()).warnings.some(line => told.test(line))).toBe(false)
    expect(await advice()).toEqual([])
  })

  it('a Redis that is too old, which the start says too', async () => {
    tcp.rewrite = ({ name }, answer) => name === 'INFO'
      ? Buffer.from(answer.toString().replace(
          /redis_version:[\d.]{5,6}/, ({ length }) => `redis_version:${'6.2.22'.slice(0, length - 14)}`,
        ))
      : answer
    await restart()
    await until('the line in the log', () => d.server.output().includes('"redis.too-old"'))
    // At first, a second warning may say that Slack was slow to answer. The service asks Slack again.
    const { warnings } = await until('the one warning', async () => {
      const answer = await ready()
      return answer.ready && answer.warnings.length === 1 && answer
    })
    expect(warnings[0]).toMatch(/^Redis 6\.2\.\d+ is too old: the service needs 7\.0 or newer/)
    tcp.rewrite = (_, answer) => answer
  })
})

describe('an outage of the store', () => {
  it('is told once, however often what it stops is tried', async () => {
    await restart({ SWEEP_INTERVAL_MS: '20', CRON_SECRET: 'a-secret-of-some-length' })
    await until('a form accepted', async () => await statusOfForm() === 200)
    const counts = () => ['redis.unreachable', 'sweep.failed', 'queue.failed', 'chat.error'].map(
      event => toldOf(event).length,
    )
    await tcp.refuse()
    await until('the sweep and the queue to fail', () => counts().slice(1, 3).every(count => count > 0))
    for (let forms = 0; forms < 10; forms++) expect(await statusOfForm()).toBe(503)
    expect(counts()).toEqual([1, 1, 1, 0])
    const cron = await fetch(
      `${d.server.url}/api/cron/sweep`, { headers: { authorization: 'Bearer a-secret-of-some-length' } },
    )
    expect([cron.status, cron.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await cron.json()).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(toldOf('request.failed')).toEqual([])
    await tcp.accept()
  })
})

describe('a store that became a replica', () => {
  let second: RedisServer
  beforeEach(async () => {
    tcp = endAfterTest(await startTcpProxy())
    second = endAfterTest(await startRedis())
    d = endAfterTest(await deployBehind(tcp))
    await until('a form accepted', async () => await statusOfForm() === 200)
  })
  afterEach(() => { [tcp, d] = [sharedProxy, shared] })

  it('is refused by readiness, left for the new primary without a restart, and nothing is lost', async () => {
    const { id, card } = await submit(d, { name: 'before' })
    await d.server.drain()
    const ada = visit(d.server)
    await ada.signIn(PASSWORD)
    const live = await ada.get('/api/submissions/events')
    await on(second, client => client.sendCommand(['REPLICAOF', '127.0.0.1', String(d.redis.port)]))
    await until(
      'the replica to follow',
      async () => (await on(second, client => client.info('replication'))).includes('master_link_status:up'),
    )

    // Failover: the old primary becomes a replica. The address still leads to it, and connections stay open.
    await on(second, client => client.sendCommand(['REPLICAOF', 'NO', 'ONE']))
    await on(d.redis, client => client.sendCommand(['REPLICAOF', '127.0.0.1', String(second.port)]))
    expect(await statusOfForm()).toBe(503)
    await isReady(false)
    expect((await ready()).reasons).toEqual([expect.stringMatching(/READONLY.*STORE_URL must point to the primary/)])

    tcp.use(second.port)
    await until('a form accepted', async () => await statusOfForm() === 200)
    await isReady(true)
    await click(d, card, 'forward', id)
    await until('the card closed', async () => !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions'))
    await d.server.drain()
    expect(await d.resend.emails()).toHaveLength(1)
    await until('the pages to listen there', async () => await on(
      second, client => client.pubSubNumSub(['{triage}:changes']),
    ).then(found => Number(Object.values(found)[0]) > 0))
    await live.body?.cancel()
    // The log has one line for the start of the outage and one for its end, regardless of the number of attempts. The
    // last line may come 2 s after writes succeed again: that is the maximum pause between two attempts.
    const told = () => [...d.server.output().matchAll(/"redis\.(unreachable|reachable)"/g)].map(([, event]) => event)
    await until('the end of it told', () => told().length > 1)
    expect(told()).toEqual(['unreachable', 'reachable'])
  })

  it('is not hammered while there is no other', async () => {
    await on(d.redis, client => client.sendCommand(['REPLICAOF', '127.0.0.1', String(second.port)]))
    const connections = () => on(
      d.redis, async client => Number(/total_connections_received:(\d+)/.exec(await client.info('stats'))?.[1]),
    )
    const before = await connections()
    const started = Date.now()
    await until('five seconds of it', async () => await statusOfForm() !== 503 || Date.now() - started > 5000)
    // By then, the service pauses 2 s between connections. Each check of this test also opens one.
    expect(await connections() - before).toBeLessThan(20)
    await on(d.redis, client => client.sendCommand(['REPLICAOF', 'NO', 'ONE']))
    await until('a form accepted', async () => await statusOfForm() === 200)
  })
})
