import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { recordIn } from '../../server/ports/stored-text'
import { CREATE, PUT } from '../../server/adapters/redis/store/scripts'
import { isOver } from '../../server/domain/lifecycle/record'
import { withTimeout } from '../../shared/utils/time'
import type { Deployment } from './deployment'
import type { Proxy, Recorded } from './proxy'
import { startServer } from './server'
import { sendEvent } from './slack'
import type { Command, TcpProxy } from './tcp-proxy'
import { until } from './until'

/** Writes of a submission: a new one, a change, and the change after which only its trace is left */
type Write = 'create' | 'put' | 'trace'

interface WriteMoment {
  redis: (command: Command) => boolean
  /** The same write, as kill-at-commit.mjs names it; absent if no test has it with a store in a file. */
  write?: Write
  phase: 'before' | 'after'
  nth?: number
  /** True to delay the endpoint's answer until the email is recorded, so that its result is a separate write. */
  apart?: boolean
}

interface VendorMoment {
  vendor: 'slack' | 'resend' | 'endpoint'
  path: string
  phase: 'before' | 'after'
  /** Text that the request contains */
  says?: string
}

/** Moment between two effects at which a test kills the process */
export interface CrashPoint {
  name: string
  /** The user action in progress */
  flow: 'intake' | 'forward' | 'edit' | 'open-edit' | 'spam'
  at: WriteMoment | VendorMoment
  /** True if the flow's result (the record or the decision) is in the store by then. */
  written: boolean
  /** Slack shows a card that was not recorded: a second one follows, or somebody clicks the first before that. */
  unknownCard?: 'followed' | 'clicked'
}

/** Matches the write that removes everything except the trace, the final short record. */
export const trace = (command: Command) => command.sha === PUT.sha && command.args.some(arg => (
  arg.startsWith('{') && arg.includes('"version":') && isOver(recordIn(arg))
))
/** Number of writes up to the first delivery result: the decision, then the result. */
const FIRST_RESULT = 2

const REDIS = { create: ({ sha }: Command) => sha === CREATE.sha, put: ({ sha }: Command) => sha === PUT.sha, trace }
const VENDORS = {
  post: { vendor: 'slack', path: '/api/chat.postMessage' }, update: { vendor: 'slack', path: '/api/chat.update' },
  form: { vendor: 'slack', path: '/api/views.open' }, email: { vendor: 'resend', path: '/emails' },
  endpoint: { vendor: 'endpoint', path: '/inbox' },
} as const

type Moment = [effect: keyof typeof REDIS | keyof typeof VENDORS, phase: 'before' | 'after', nth?: number]

/** Creates a point. By default `written` is true; if `nth` is given, each delivery result is a separate write. */
function point(
  flow: CrashPoint['flow'], what: string, [effect, phase, nth]: Moment, more: Partial<CrashPoint> = {},
): CrashPoint {
  const at = effect in VENDORS
    ? { ...VENDORS[effect as keyof typeof VENDORS], phase }
    : { redis: REDIS[effect as Write], write: effect as Write, phase, ...nth && { nth, apart: true } }
  return { name: `${flow === 'open-edit' ? 'edit' : flow}: ${what}`, flow, at, written: true, ...more }
}

const unwritten = { written: false }

export const CRASH_POINTS: readonly CrashPoint[] = [
  point('intake', 'before the record is written', ['create', 'before'], unwritten),
  point('intake', 'record written, answer lost', ['create', 'after']),
  point('intake', 'before the card', ['post', 'before']),
  point('intake', 'card posted, answer lost', ['post', 'after'], { unknownCard: 'followed' }),
  point('intake', 'card posted, answer lost, then clicked', ['post', 'after'], { unknownCard: 'clicked' }),
  point(
    'intake', 'card posted, before that is written and it leaves the queue', ['put', 'before'],
    { unknownCard: 'followed' },
  ),
  point('intake', 'card written down and out of the queue, answer lost', ['put', 'after']),
  point('forward', 'before the claim', ['put', 'before'], unwritten),
  point('forward', 'claim written, answer lost', ['put', 'after']),
  point('forward', 'before the email', ['email', 'before']),
  point('forward', 'Resend took the email, answer lost', ['email', 'after']),
  point('forward', 'before the endpoint', ['endpoint', 'before']),
  point('forward', 'endpoint took it, answer lost', ['endpoint', 'after']),
  point('forward', 'first result in hand, before it is written', ['put', 'before', 2]),
  point('forward', 'first result written, answer lost', ['put', 'after', 2]),
  point('forward', 'next result in hand, before it is written', ['put', 'before', 3]),
  point('forward', 'next result written, perhaps with the audit line, answer lost', ['put', 'after', 3]),
  point('forward', 'before the card update', ['update', 'before']),
  point('forward', 'card updated, answer lost', ['update', 'after']),
  point('forward', 'all delivered and the card updated, before the trace', ['trace', 'before']),
  point('forward', 'trace written, answer lost', ['trace', 'after']),
  point('open-edit', 'form opened, answer lost', ['form', 'after'], unwritten),
  point('edit', 'submitted, before the claim', ['put', 'before'], unwritten),
  point('edit', 'submitted, claim written, answer lost', ['put', 'after']),
  point('edit', 'Resend took the email, answer lost', ['email', 'after']),
  point('edit', 'before the trace', ['trace', 'before']),
  point('spam', 'before the claim', ['put', 'before'], unwritten),
  point('spam', 'claim written, answer lost', ['put', 'after']),
  point('spam', 'card updated, answer lost', ['update', 'after']),
  point('spam', 'before the trace', ['trace', 'before']),
]

/** Maximum time to reach a point, ms. It includes retries of failing vendors, and a lease. */
const PATIENCE_MS = 120_000

/**
 * Kills the server of `d`, whose store is in Redis, at `point`, once. Resolves when it is dead and all faults are
 * removed.
 *
 * @param lateMs time between reaching the point and the kill, ms; all other work continues meanwhile
 * @throws if the point is never reached
 */
export function arm(d: Deployment, tcp: TcpProxy, { at }: Pick<CrashPoint, 'at'>, lateMs: number): Promise<void> {
  if ('vendor' in at) return armVendor(d, at, lateMs)
  const { die, reached } = killer(d, lateMs)
  let seen = 0
  const recorded = Promise.withResolvers<undefined>()
  if (at.apart) d.endpoint.fault = () => ({ hold: recorded.promise })
  tcp.fault = (command) => {
    if (!at.redis(command)) return undefined
    if (++seen >= FIRST_RESULT) recorded.resolve(undefined)
    return seen === (at.nth ?? 1) ? { phase: at.phase, act: die } : undefined
  }
  return reached.finally(() => {
    tcp.fault = () => undefined
    d.endpoint.fault = () => undefined
  })
}

/** Like `arm`, at a request to a vendor, wherever the store is. */
export function armVendor(d: Deployment, at: VendorMoment, lateMs: number): Promise<void> {
  const { die, reached } = killer(d, lateMs)
  const vendor = d[at.vendor]
  let isReached = false
  vendor.fault = (request) => {
    const { path, method, body } = request
    if (isReached || !path.startsWith(at.path) || method !== 'POST' || !body.includes(at.says ?? '')) return undefined
    isReached = true
    return { hold: hold(vendor, request, at.phase, die) }
  }
  return reached.finally(() => { vendor.fault = () => undefined })
}

/**
 * Like `arm`, for a store in a file: the server kills itself in the moment of the commit.
 *
 * @param file its KILL_AT_COMMIT (kill-at-commit.mjs)
 */
export async function armCommit(d: Deployment, file: string, at: WriteMoment): Promise<void> {
  const { write, phase, nth = 1, apart } = at
  writeFileSync(`${file}.seen`, '0')
  if (apart) {
    const isRecorded = () => Number(readFileSync(`${file}.seen`, 'utf8')) >= FIRST_RESULT
    d.endpoint.fault = () => ({ hold: until('the first result', isRecorded, PATIENCE_MS) })
  }
  writeFileSync(file, JSON.stringify({ write, phase, nth }))
  await until('the point', () => !existsSync(file), PATIENCE_MS)
  await d.server.kill()
  d.endpoint.fault = () => undefined
}

function killer({ server }: Deployment, lateMs: number) {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const die = async () => {
    await new Promise(resolve => setTimeout(resolve, lateMs))
    await server.kill()
    resolve(undefined)
  }
  return { die, reached: withTimeout(PATIENCE_MS, promise, () => new Error('The point was never reached.')) }
}

/**
 * Sends until the server accepts, and returns its answer; null if the server died. Refusals are retried, because a
 * machine that stalls for seconds is too slow for the time limits of a click or a form.
 */
export async function taken(send: () => Promise<Response>): Promise<Response | null> {
  const { response } = await until('it to be taken', async () => {
    const response = await send().catch(() => null)
    const isRefused = response && (response.status === 503 || /could not be saved/.test(await response.clone().text()))
    return !isRefused && { response }
  })
  return response
}

/** Starts the server of `d` again, and waits until its bot is ready. */
export async function restart(d: Deployment): Promise<void> {
  d.server = await startServer(d.env)
  await sendEvent(d.server.url, { type: 'url_verification', challenge: 'up' })
}

/** Never answers the request: after the vendor has processed it, the sender is killed. */
async function hold(
  vendor: Proxy, request: Recorded, phase: 'before' | 'after', die: () => Promise<void>,
): Promise<never> {
  if (phase === 'after') await repeat(vendor, request)
  await die()
  throw new Error('The sender is gone.')
}

async function repeat(vendor: Proxy, { method, path, headers, body }: Recorded): Promise<void> {
  const { host, connection, 'content-length': length, 'transfer-encoding': encoding, ...rest } = headers
  const answer = await fetch(new URL(path, vendor.url), { method, body, headers: rest as Record<string, string> })
  await answer.arrayBuffer()
}
