import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createServer } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'
import { QUIET_PRODUCTION } from '../support/visitor'

/** Self-signed certificate for `localhost`, valid until 2126 */
const [key, cert] = ['key', 'crt'].map(
  type => resolve(import.meta.dirname, `../fixtures/tls/localhost.${type}`),
) as [string, string]

let server: Server
const redis = endAfterAll(await startRedis())
const tls = endAfterAll(createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
  const inner = connect(redis.port, '127.0.0.1')
  socket.pipe(inner).pipe(socket)
  for (const each of [socket, inner]) each.on('error', () => {})
}).listen(0, '127.0.0.1').on('tlsClientError', () => {}))
await once(tls, 'listening')
afterEach(() => server.kill())

const tlsPort = () => (tls.address() as AddressInfo).port
const readiness = async () => await (await fetch(`${server.url}/api/ready`)).json() as {
  ready: boolean
  reasons: string[]
}

it.each([
  [
    'a certificate that nobody signed', () => `rediss://localhost:${tlsPort()}`,
    /SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/,
  ],
  ['redis:// and TLS', () => `redis://localhost:${tlsPort()}`, /expects TLS, STORE_URL has to begin with rediss:/],
  ['rediss:// and no TLS', () => `rediss://localhost:${redis.port}`, /expects none, STORE_URL has to begin/],
  ['a database that it does not have', () => `redis://localhost:${redis.port}/99`, /no database with the number/],
  ['a password that it does not know', () => `redis://u:wrong@localhost:${redis.port}`, /WRONGPASS.*Check user/],
])('%s is named by readiness and by the log', async (_, url, sentence) => {
  server = await startServer({ ...QUIET_PRODUCTION, STORE_URL: url() })
  const refusal = await until('the reason', async () => (await readiness()).reasons.find(line => sentence.test(line)))
  expect(refusal).not.toContain('localhost')
  expect(server.output().split('\n').filter(line => line.includes('"redis.unreachable"'))).toEqual([
    expect.stringMatching(sentence),
  ])
})

it('a certificate of NODE_EXTRA_CA_CERTS is trusted', async () => {
  server = await startServer({
    ...QUIET_PRODUCTION, STORE_URL: `rediss://localhost:${tlsPort()}`, NODE_EXTRA_CA_CERTS: cert,
  })
  await until('a store that answers', async () => (await readiness()).reasons.every(line => !line.startsWith('Redis')
    && !line.includes('STORE_URL')))
})
