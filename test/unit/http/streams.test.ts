import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEvent, sendStream, type H3Event } from 'h3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onUnexpectedError } from '../../../server/http/errors'
import { eventStream, sendDownload } from '../../../server/http/streams'
import { until } from '../../support/until'

let close = () => {}
let reportedErrors: unknown[]
beforeEach(() => {
  reportedErrors = []
  onUnexpectedError(error => void reportedErrors.push(error))
})
afterEach(() => {
  close()
  vi.useRealTimers()
  onUnexpectedError(() => {})
})

/** Starts a server with one route, and sends its result as h3 does; returns the address of the server. */
async function serve(route: (event: H3Event) => Promise<unknown>): Promise<string> {
  const server = createServer((request, response: ServerResponse) => {
    const event = createEvent(request, response)
    void route(event).then(body => body instanceof ReadableStream ? sendStream(event, body) : undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Endless stream, and a flag that is set when the producer is stopped */
function endless() {
  const source = { isOver: false }
  async function* bits() {
    try {
      for (;;) yield Buffer.alloc(64 * 1024)
    }
    finally {
      source.isOver = true
    }
  }
  return Object.assign(source, { bits })
}

test('who leaves a download lets go of what it is made of, and is no error', async () => {
  const source = endless()
  const answers: Promise<void>[] = []
  const url = await serve(async event => void answers.push(sendDownload(event, source.bits(), {})))
  const leaving = new AbortController()
  const { body } = await fetch(url, { signal: leaving.signal })
  await body!.getReader().read()
  leaving.abort()
  await until('the end', () => source.isOver)
  await Promise.all(answers)
  expect(reportedErrors).toEqual([])
})

test('a download that breaks is no whole file to who gets it, and told of', async () => {
  const url = await serve(event => sendDownload(event, (async function* () {
    yield 'half'
    throw new Error('The storage is away.')
  })(), {}))
  await expect(fetch(url).then(answer => answer.text())).rejects.toThrow()
  expect(reportedErrors).toEqual([expect.objectContaining({ message: 'The storage is away.' })])
})

test('one person has 20 streams, and others have theirs', async () => {
  const url = await serve(event => eventStream(event, event.path, () => () => {}).catch(
    (error: { status: number }) => event.node.res.writeHead(error.status).end(),
  ))
  const leaving = new AbortController()
  // Keep the responses: a page's connection is closed when its response is garbage-collected.
  const pages: Response[] = []
  const opened = async (person: string, signal?: AbortSignal) => {
    pages.push(await fetch(`${url}/${person}`, { signal }))
    return pages.at(-1)!.status
  }
  for (let page = 0; page < 19; page++) expect(await opened('ada')).toBe(200)
  expect(await opened('ada', leaving.signal)).toBe(200)
  expect([await opened('ada'), await opened('grace')]).toEqual([429, 200])
  leaving.abort()
  await until('one to have left', async () => await opened('ada') === 200)
})

test('a page that leaves is listened for no more, and one that stays is asked again after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let listeners = 0
  const url = await serve(event => eventStream(event, 'ada', () => {
    listeners++
    return () => { listeners-- }
  }))
  const leaving = new AbortController()
  const [leftResponse, openResponse] = await Promise.all([fetch(url, { signal: leaving.signal }), fetch(url)])
  expect([leftResponse.status, openResponse.status, listeners]).toEqual([200, 200, 2])
  leaving.abort()
  await vi.waitUntil(() => listeners === 1)
  vi.advanceTimersByTime(5 * 60_000)
  await vi.waitUntil(() => listeners === 0)
  expect(await openResponse.text()).toContain('event: ready')
})
