import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'
import { QUIET_PRODUCTION, WITH_PASSWORD } from '../support/visitor'

const redis = endAfterAll(await startRedis())
const server = endAfterAll(await startServer({
  ...QUIET_PRODUCTION, ...WITH_PASSWORD, STORE_URL: redis.url, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com',
}))

/**
 * Returns status line, headers and body of an answer, without the parts that always differ. `fetch` can only send
 * paths.
 */
async function raw(method: string, target: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: forms.example.com\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  const answer = (await Array.fromAsync(socket as AsyncIterable<Buffer>)).join('')
  return answer.replace(/^(?:date|x-request-id): .*$/gim, '')
}

it.each([
  '/_nuxt/nope.js', '/_nuxt/builds/meta/nope.json', '/__nuxt_error', '/__nuxt_error?url=/setup', '/__nuxt_island/x',
])('%s, which Nuxt would answer by itself, is 404 with the headers of all pages', async (path) => {
  const usual = await fetch(`${server.url}/nope`)
  for (const accept of ['text/html', '*/*']) {
    const { status, headers } = await fetch(server.url + path, { headers: { accept } })
    expect([status, headers.get('content-security-policy')]).toEqual([
      404, expect.stringMatching(/^default-src 'none';/),
    ])
    for (const name of [
      'x-frame-options', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'permissions-policy',
      'x-content-type-options', 'strict-transport-security',
    ]) expect([name, headers.get(name)]).toEqual([name, usual.headers.get(name)])
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

it.each([
  'GET /api/health', 'GET /api/status', 'GET /setup', 'GET /nope', 'GET /api/nope', 'GET ', 'POST /api/submissions/x',
  'POST /setup', 'OPTIONS *',
])('%s with a host in front of its path is answered as without', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  const plain = await raw(method, path || '/')
  for (const host of ['http://forms.example.com', 'HTTPS://[::1]:3000']) {
    expect(await raw(method, path === '*' ? path : host + path)).toEqual(plain)
  }
  expect(plain).not.toContain('Cannot find any')
})
