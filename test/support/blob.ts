import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { freePort } from './ports'

export const BLOB_TOKEN = 'vercel_blob_rw_StoreOfTests_secret'
/** Internet hosts from which `@vercel/blob` fetches the blobs of the test store */
const HOSTS = /^https:\/\/storeoftests\.(public|private)\.blob\.vercel-storage\.com$/i
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')

interface Stored { bytes: Buffer, contentType: string, access: string }

export interface BlobStore {
  apiUrl: string
  blobs: Map<string, Stored>
  /** Bodies of the requests for a signed token */
  signed: Record<string, unknown>[]
  close: () => void
}

/**
 * Test double of Vercel Blob: serves the API at `apiUrl`, and the blobs at their real internet addresses.
 */
export async function startBlobStore(): Promise<BlobStore> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const blobs = new Map<string, Stored>()
  const signed: Record<string, unknown>[] = []
  const server = createServer((request, response) => void answer(request, response, { blobs, signed }))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const restore = repoint(url)
  return {
    apiUrl: `${url}/api/blob`, blobs, signed,
    close: () => {
      restore()
      server.close()
    },
  }
}

/**
 * Redirects connections to the blob hosts to this server: `@vercel/blob` fetches blobs from their internet addresses.
 */
function repoint(origin: string): () => void {
  type Dispatch = (options: { origin: string | URL }, handler: object) => boolean
  const symbols = globalThis as unknown as Record<symbol, { dispatch: Dispatch }>
  const real = symbols[DISPATCHER]!
  const dispatch: Dispatch = (options, handler) => real.dispatch(
    HOSTS.test(String(options.origin)) ? { ...options, origin } : options, handler,
  )
  symbols[DISPATCHER] = new Proxy(
    real, { get: (target, name) => name === 'dispatch' ? dispatch : Reflect.get(target, name) },
  )
  return () => { symbols[DISPATCHER] = real }
}

async function answer(
  request: IncomingMessage, response: ServerResponse, { blobs, signed }: Pick<BlobStore, 'blobs' | 'signed'>,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const body = await buffer(request)
  const send = (status: number, answer: unknown) => (
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  )
  const missing = () => send(404, { error: { code: 'not_found', message: 'The requested blob does not exist' } })
  const authorized = request.headers.authorization === `Bearer ${BLOB_TOKEN}`
  const pathOf = (blob: string | null) => decodeURIComponent((blob ?? '').replace(/^https?:\/\/[^/]+\//, ''))
  const facts = (pathname: string, { bytes, contentType, access }: Stored) => ({
    pathname, contentType, size: bytes.length, etag: '"1"', uploadedAt: new Date(0), cacheControl: '',
    contentDisposition: '',
    url: `https://storeoftests.${access}.blob.vercel-storage.com/${pathname}`, downloadUrl: '',
  })
  if (!url.pathname.startsWith('/api/blob')) {
    const blob = blobs.get(pathOf(url.pathname.slice(1)))
    if (!blob || (blob.access === 'private' && !authorized)) return void response.writeHead(blob ? 403 : 404).end()
    return void response.writeHead(
      200, { 'content-type': blob.contentType, 'content-length': blob.bytes.length },
    ).end(blob.bytes)
  }
  if (!authorized) return void send(403, { error: { code: 'forbidden', message: 'no' } })
  const [pathname, source, head] = [
    url.searchParams.get('pathname'), url.searchParams.get('fromUrl'), url.searchParams.get('url'),
  ]
  if (request.method === 'PUT' && pathname) {
    const from = source ? blobs.get(pathOf(source)) : undefined
    if (source && !from) return void missing()
    const stored = from
      ?? {
        bytes: body, contentType: String(request.headers['x-content-type'] ?? 'application/octet-stream'),
        access: String(request.headers['x-vercel-blob-access']),
      }
    blobs.set(pathname, stored)
    return void send(200, facts(pathname, stored))
  }
  if (request.method === 'POST' && url.pathname.endsWith('/delete')) {
    for (const blob of JSON.parse(String(body)).urls) blobs.delete(pathOf(blob))
    return void send(200, null)
  }
  if (request.method === 'POST' && url.pathname.endsWith('/signed-token')) {
    const asked = JSON.parse(String(body))
    signed.push(asked)
    const payload = Buffer.from(JSON.stringify({ ...asked, storeId: 'StoreOfTests' })).toString('base64url')
    return void send(
      200, { delegationToken: `${payload}.signature`, clientSigningToken: 'signing-key', validUntil: asked.validUntil },
    )
  }
  if (head) {
    const found = blobs.get(pathOf(head))
    return void (found ? send(200, facts(pathOf(head), found)) : missing())
  }
  const prefix = url.searchParams.get('prefix') ?? ''
  const [limit, after] = [Number(url.searchParams.get('limit') ?? 1000), url.searchParams.get('cursor') ?? '']
  const all = [...blobs].filter(([key]) => key.startsWith(prefix) && key > after).sort(([a], [b]) => a < b ? -1 : 1)
  const page = all.slice(0, limit)
  const hasMore = page.length < all.length
  send(200, { hasMore, ...hasMore && { cursor: page.at(-1)![0] }, blobs: page.map(([key, blob]) => facts(key, blob)) })
}
