import { buildConnector, Client, type Dispatcher } from 'undici'
import { jsonIn } from '../../../shared/utils/json'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../ports/http'

/** Vendors close idle connections after 5 s and more: ours go first, so that none is closed under a request. */
const IDLE_MS = 4000

/** An answer nobody asked for is read up to here, bytes, to keep its connection. */
const IGNORED_BYTES = 64 * 1024

/** A connection that was closed meanwhile tells within a round trip, ms; later the request may have been read. */
const STALE_MS = 1000

/** Names us where the request does not: vendors behind Cloudflare refuse who has no name. */
const USER_AGENT = 'form-triage-bot'

/** No vendor's answer is longer, bytes. */
const MAX_ANSWER = 8 * 1024 * 1024

class HttpFailure extends Error {
  constructor(readonly code: string) {
    super(code)
  }
}

/** A connection that was kept, and that the other end closed when we wrote to it. */
class ClosedMeanwhile extends HttpFailure {}

/** The time of an exchange limits all its parts, also a connection that is not there yet. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 }

const dial = buildConnector({})

type Dispatch = (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => unknown

interface HttpOptions { idleMs?: number, proxied?: Dispatcher | null }

/** Takes one request at a time. */
class Connection {
  /** Whether an answer came over it before; else the vendor may have read what fails. */
  isKept = false
  private readonly client: Client

  /** @param onClosed called whenever it is closed, by either end */
  constructor(origin: string, idleMs: number, onClosed: (connection: Connection) => void) {
    // What a vendor's `Keep-Alive` says may be less, never more.
    const kept = { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }
    this.client = new Client(origin, { ...LIMITS, ...kept, connect: (options, callback) => {
      // What is written to one that is about to close goes over a new one.
      this.isKept = false
      dial(options, callback)
    } })
    this.client.on('disconnect', () => onClosed(this))
  }

  readonly dispatch: Dispatch = (request, handler) => {
    this.client.dispatch(request, handler)
  }
}

/**
 * Half of the CPU time of node:http, and an eighth of that of global `fetch`. undici's own pool does not tell whether
 * what failed was a connection that was kept.
 *
 * @param proxied what goes through a proxy, and keeps connections to it by itself
 */
export function createHttpClient({ idleMs = IDLE_MS, proxied = null }: HttpOptions = {}): HttpClient {
  const pool = new Idle(idleMs)
  return async (request) => {
    const { origin, pathname, search } = new URL(request.url)
    if (proxied) return exchange(request, pathname + search, {
      isKept: false, dispatch: (options, handler) => proxied.dispatch({ ...options, ...LIMITS, origin }, handler),
    })
    const send = (connection: Connection) => (
      exchange(request, pathname + search, connection, () => pool.keep(origin, connection))
    )
    try {
      return await send(pool.take(origin) ?? pool.open(origin))
    }
    catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error
      return send(pool.open(origin))
    }
  }
}

/** Connections that wait for a request, as long as they are open: of an origin that nobody calls nothing stays. */
class Idle {
  private readonly byOrigin = new Map<string, Connection[]>()

  constructor(private readonly idleMs: number) {}

  open(origin: string): Connection {
    return new Connection(origin, this.idleMs, closed => this.hold(
      origin, this.byOrigin.get(origin)?.filter(connection => connection !== closed) ?? [],
    ))
  }

  take(origin: string): Connection | undefined {
    const connections = this.byOrigin.get(origin) ?? []
    const taken = connections.pop()
    this.hold(origin, connections)
    return taken
  }

  keep(origin: string, connection: Connection): void {
    const connections = this.byOrigin.get(origin) ?? []
    connections.push(connection)
    this.hold(origin, connections)
  }

  private hold(origin: string, connections: Connection[]): void {
    if (connections.length > 0) this.byOrigin.set(origin, connections)
    else this.byOrigin.delete(origin)
  }
}

/** What a connection says that the other end closed. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** @param over called when the connection is free again */
function exchange(
  { method, headers, body, timeoutMs, ignoreBody }: HttpRequest, path: string,
  connection: Pick<Connection, 'isKept'> & { dispatch: Dispatch }, over = () => {},
): Promise<HttpAnswer> {
  const most = ignoreBody ? IGNORED_BYTES : MAX_ANSWER
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let sending: Dispatcher.DispatchController | undefined
    let failure: Error | undefined
    let answer: HttpAnswer | undefined
    const chunks: Buffer[] = []
    let length = 0

    const timer = setTimeout(() => fail(new HttpFailure('NO_ANSWER')), timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      failure ??= error
      reject(error)
      sending?.abort(error)
    }
    connection.dispatch({ path, method, headers: { 'user-agent': USER_AGENT, ...headers }, body }, {
      onRequestStart: (controller) => {
        sending = controller
        // Its time was over before there was a connection.
        if (failure) controller.abort(failure)
      },
      onResponseStart: (_, status, fields) => {
        // Such as early hints.
        if (status < 200) return
        answer = { status, headers: fields, json: undefined }
        if (ignoreBody) resolve(answer)
      },
      onResponseData: (_, chunk) => {
        length += chunk.length
        if (length > most) fail(new HttpFailure('ANSWER_TOO_LONG'))
        else if (!ignoreBody) chunks.push(chunk)
      },
      onResponseEnd: () => {
        clearTimeout(timer)
        connection.isKept = true
        over()
        resolve({ ...answer!, json: jsonIn(Buffer.concat(chunks).toString()) })
      },
      onResponseError: (_, error: NodeJS.ErrnoException) => {
        const { code = 'NO_HTTP_ANSWER' } = error
        const isEarly = !answer && performance.now() - startedAt < STALE_MS
        const isStale = connection.isKept && CLOSED.includes(code) && isEarly
        fail(isStale ? new ClosedMeanwhile(code) : Object.assign(error, { code }))
      },
    })
  })
}
