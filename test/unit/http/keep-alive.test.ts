import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { keepConnections } from '../../../server/http/background'

test('a body may arrive for two hours if whoever reads it allows, and a head for a minute', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    keepConnections()
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(server).toMatchObject({ requestTimeout: 7_200_000, headersTimeout: 60_000, keepAliveTimeout: 75_000 })
  }
  finally {
    server.closeAllConnections()
    server.close()
  }
})
