import { expect, test } from 'vitest'
import { deploy, idOf, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { until } from '../support/until'

interface Line { event: string, request?: string, submission?: string }

const d = endAfterAll(await deploy({ CARD_INTERVAL_MS: '500' }))

const lines = () => d.server.output().split('\n').filter(line => line.startsWith('{')).map(line => (
  JSON.parse(line) as Line
))

const send = (request: string) => sendForm(d.server, { name: 'Ada' }, { 'x-request-id': request })

test('the log tells of no card under the request of another form, whose queue let it out', async () => {
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { status: 500 } : undefined
  const sent = new Map<string, string>()
  // The first form posts to the room. The second one waits, then posts all queued cards, including the third one.
  for (const request of ['request-one', 'request-two', 'request-three']) {
    sent.set(await idOf(await send(request)), request)
  }
  const failed = await until('all to have failed', () => {
    const found = lines().filter(({ event }) => event === 'work.failed')
    return new Set(found.map(({ submission }) => submission)).size === 3 && found
  })
  expect(failed.filter(({ request, submission }) => request && request !== sent.get(submission!))).toEqual([])
  d.slack.fault = () => undefined
})

test('the log tells of no outage of the store, nor of a later one, under the request that met it first', async () => {
  const client = await connectRedis(d.redis.url)
  await client.configSet('maxmemory', '1')
  expect((await send('request-four')).status).toBe(503)
  await client.configSet('maxmemory', '0')
  const told = (event: string) => lines().filter(line => line.event === event)
  await until('the store to be back', () => told('redis.reachable').length === 1)
  await client.configSet('min-replicas-to-write', '1')
  expect((await send('request-five')).status).toBe(503)
  await client.configSet('min-replicas-to-write', '0')
  await until('the store to be back', () => told('redis.reachable').length === 2)
  await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal'])
  await until('the store to be back', () => told('redis.reachable').length === 3)
  expect(lines().filter(({ event, request }) => event.startsWith('redis.') && request)).toEqual([])
  client.destroy()
})
