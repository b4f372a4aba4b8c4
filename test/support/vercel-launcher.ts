// Runs one invocation of the built function, as Vercel does. The request's context collects the promises passed to
// `waitUntil`. The process is killed, even if busy, once the answer is sent and all these promises have settled.
// Usage: node vercel-launcher.ts <folder of the function>; sends its port over IPC.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface RequestContext {
  waitUntil: (promise: Promise<unknown>) => void
}

const current = new AsyncLocalStorage<RequestContext>()

// Key under which @vercel/functions finds the context of the running request
Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: { get: () => current.getStore() } })

const { default: listener } = await import(
  pathToFileURL(join(process.argv[2]!, 'index.mjs')).href,
) as { default: RequestListener }

const server = createServer((request, response) => {
  const awaited: Promise<unknown>[] = []
  response.once('close', () => void freezeAfter(awaited))
  current.run({ waitUntil: promise => void awaited.push(promise) }, () => listener(request, response))
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

async function freezeAfter(awaited: Promise<unknown>[]): Promise<void> {
  // A promise may add more promises to the list before it settles.
  for (let settled = 0; settled < awaited.length; settled++) await awaited[settled]!.catch(() => {})
  process.kill(process.pid, 'SIGKILL')
}
