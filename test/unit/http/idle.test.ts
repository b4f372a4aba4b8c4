import { channel } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { idle } from '../../../server/http/background'

const requests = channel('http.server.request.start')

test('a process is idle a second after its last request, and listens to no more of them then', async () => {
  let idleAt = 0
  const isIdle = idle().then(() => { idleAt = performance.now() })
  let lastAt = 0
  for (let request = 0; request < 4 && idleAt === 0; request++) {
    await setTimeout(400)
    lastAt = performance.now()
    requests.publish({})
  }
  await isIdle
  // A timer counts from the start of its event loop turn, which is before the request.
  expect(idleAt - lastAt).toBeGreaterThan(500)
  expect(requests.hasSubscribers).toBe(false)
})
