import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { createRedis, whyUnconnected } from '../../server/adapters/redis/connection/client'
import type { Log } from '../../server/ports/runtime'
import { endAfterAll } from '../support/lifetime'
import { until } from '../support/until'
import { ownRedis } from './stores'

/** Self-signed certificate for `localhost`, valid until 2126 */
const [key, cert] = ['key', 'crt'].map(
  type => readFileSync(resolve(import.meta.dirname, `../fixtures/tls/localhost.${type}`)),
)

const redis = await ownRedis()
const tls = endAfterAll(createServer({ key, cert }, (socket) => {
  const inner = connect(redis.port, '127.0.0.1')
  socket.pipe(inner).pipe(socket)
  for (const each of [socket, inner]) each.on('error', () => {})
}).listen(0, '127.0.0.1').on('tlsClientError', () => {}))
await once(tls, 'listening')
const tlsPort = (tls.address() as AddressInfo).port

test.each([
  ['a certificate that nobody signed', `rediss://localhost:${tlsPort}`, /SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/],
  ['redis:// and TLS', `redis://localhost:${tlsPort}`, /expects TLS, STORE_URL must begin with rediss:/],
  ['rediss:// and no TLS', `rediss://localhost:${redis.port}`, /expects no TLS, STORE_URL must begin/],
  ['a missing database', `redis://localhost:${redis.port}/99`, /no database with the number/],
  ['a wrong password', `redis://u:wrong@localhost:${redis.port}`, /WRONGPASS.*Check user/],
])('%s is named once in the log, without the address', async (_, url, sentence) => {
  const reasons: unknown[] = []
  const error: Log['error'] = (event, facts) => void reasons.push([event, facts?.reason])
  const client = createRedis(url, { info: () => {}, warn: () => {}, error })
  const reason = await until('the reason', () => whyUnconnected(client))
  client.destroy()
  expect(reason).toMatch(sentence)
  expect(reason).not.toContain('localhost')
  expect(reasons).toEqual([['redis.unreachable', reason]])
})
