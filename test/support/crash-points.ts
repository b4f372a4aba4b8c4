import { recordIn } from '../../server/adapters/redis/store/record'
import { CREATE, PUT } from '../../server/adapters/redis/store/scripts'
import { isOver } from '../../server/domain/lifecycle/record'
import { withTimeout } from '../../shared/utils/time'
import type { Deployment } from './deployment'
import type { Proxy, Recorded } from './proxy'
import { startServer } from './server'
import { sendEvent } from './slack'
import type { Command, TcpProxy } from './tcp-proxy'
import { until } from './until'

/** A moment between two effects at which the process may die */
export interface CrashPoint {
  name: string
  /** The user action in progress */
  flow: 'intake' | 'forward' | 'edit' | 'open-edit' | 'spam'
  at:
    | {
      redis: (command: Command) => boolean
      phase: 'before' | 'after'
      nth?: number
      /** True if the endpoint answers only after the email is recorded, so that its result is a separate write. */
      apart?: boolean
    }
    | {
      vendor: 'slack' | 'resend' | 'endpoint'
      path: string
      phase: 'before' | 'after'
      /** Text that the request contains */
      says?: string
    }
  /** True if the flow's result (the record or the decision) is in Redis by then. */
  written: boolean
  /** True if Slack may show a card that was not recorded. */
  unknownCard?: boolean
}

const create = ({ sha }: Command) => sha === CREATE.sha
const put = ({ sha }: Command) => sha === PUT.sha
/** Matches the write after which only the trace is left. */
export const trace = (command: Command) => put(command) && command.args.some(arg => (
  arg.startsWith('{') && arg.includes('"version":') && isOver(recordIn(arg))
))
/** Number of writes up to the first delivery result: the decision, then the result. */
const FIRST_RESULT = 2
const POST = '/api/chat.postMessage'
const UPDATE = '/api/chat.update'

export const CRASH_POINTS: readonly CrashPoint[] = [
  {
    name: 'intake: before the record is written', flow: 'intake', at: { redis: create, phase: 'before' },
    written: false,
  },
  { name: 'intake: record written, answer lost', flow: 'intake', at: { redis: create, phase: 'after' }, written: true },
  {
    name: 'intake: before the card', flow: 'intake', at: { vendor: 'slack', path: POST, phase: 'before' },
    written: true,
  },
  {
    name: 'intake: card posted, answer lost', flow: 'intake', at: { vendor: 'slack', path: POST, phase: 'after' },
    written: true, unknownCard: true,
  },
  {
    name: 'intake: card posted, before that is written and it leaves the queue', flow: 'intake',
    at: { redis: put, phase: 'before' }, written: true, unknownCard: true,
  },
  {
    name: 'intake: card written down and out of the queue, answer lost', flow: 'intake',
    at: { redis: put, phase: 'after' }, written: true,
  },
  { name: 'forward: before the claim', flow: 'forward', at: { redis: put, phase: 'before' }, written: false },
  { name: 'forward: claim written, answer lost', flow: 'forward', at: { redis: put, phase: 'after' }, written: true },
  {
    name: 'forward: before the email', flow: 'forward', at: { vendor: 'resend', path: '/emails', phase: 'before' },
    written: true,
  },
  {
    name: 'forward: Resend took the email, answer lost', flow: 'forward',
    at: { vendor: 'resend', path: '/emails', phase: 'after' }, written: true,
  },
  {
    name: 'forward: before the endpoint', flow: 'forward', at: { vendor: 'endpoint', path: '/inbox', phase: 'before' },
    written: true,
  },
  {
    name: 'forward: endpoint took it, answer lost', flow: 'forward',
    at: { vendor: 'endpoint', path: '/inbox', phase: 'after' }, written: true,
  },
  {
    name: 'forward: first result in hand, before it is written', flow: 'forward',
    at: { redis: put, phase: 'before', nth: 2, apart: true }, written: true,
  },
  {
    name: 'forward: first result written, answer lost', flow: 'forward',
    at: { redis: put, phase: 'after', nth: 2, apart: true }, written: true,
  },
  {
    name: 'forward: next result in hand, before it is written', flow: 'forward',
    at: { redis: put, phase: 'before', nth: 3, apart: true }, written: true,
  },
  {
    name: 'forward: next result written, perhaps with the audit line, answer lost', flow: 'forward',
    at: { redis: put, phase: 'after', nth: 3, apart: true }, written: true,
  },
  {
    name: 'forward: before the card update', flow: 'forward', at: { vendor: 'slack', path: UPDATE, phase: 'before' },
    written: true,
  },
  {
    name: 'forward: card updated, answer lost', flow: 'forward', at: { vendor: 'slack', path: UPDATE, phase: 'after' },
    written: true,
  },
  {
    name: 'forward: all delivered and the card updated, before the trace', flow: 'forward',
    at: { redis: trace, phase: 'before' }, written: true,
  },
  { name: 'forward: trace written, answer lost', flow: 'forward', at: { redis: trace, phase: 'after' }, written: true },
  {
    name: 'edit: form opened, answer lost', flow: 'open-edit',
    at: { vendor: 'slack', path: '/api/views.open', phase: 'after' }, written: false,
  },
  { name: 'edit: submitted, before the claim', flow: 'edit', at: { redis: put, phase: 'before' }, written: false },
  {
    name: 'edit: submitted, claim written, answer lost', flow: 'edit', at: { redis: put, phase: 'after' },
    written: true,
  },
  {
    name: 'edit: Resend took the email, answer lost', flow: 'edit',
    at: { vendor: 'resend', path: '/emails', phase: 'after' }, written: true,
  },
  { name: 'edit: before the trace', flow: 'edit', at: { redis: trace, phase: 'before' }, written: true },
  { name: 'spam: before the claim', flow: 'spam', at: { redis: put, phase: 'before' }, written: false },
  { name: 'spam: claim written, answer lost', flow: 'spam', at: { redis: put, phase: 'after' }, written: true },
  {
    name: 'spam: card updated, answer lost', flow: 'spam', at: { vendor: 'slack', path: UPDATE, phase: 'after' },
    written: true,
  },
  { name: 'spam: before the trace', flow: 'spam', at: { redis: trace, phase: 'before' }, written: true },
]

/** Longest time to reach a point, ms: retries of failing vendors, and a lease. */
const PATIENCE_MS = 120_000

/**
 * Kills the server of `d` at `point`, once. Resolves when it is dead and all faults are removed.
 *
 * @param lateMs time for which everything else goes on after the point is reached, ms
 * @throws if the point is never reached
 */
export function arm(d: Deployment, tcp: TcpProxy, { at }: Pick<CrashPoint, 'at'>, lateMs: number): Promise<void> {
  const reached = Promise.withResolvers<undefined>()
  const die = async () => {
    await new Promise(resolve => setTimeout(resolve, lateMs))
    await d.server.kill()
    reached.resolve(undefined)
  }
  let fired = false
  const first = () => !fired && (fired = true)
  if ('redis' in at) {
    let seen = 0
    const recorded = Promise.withResolvers<undefined>()
    if (at.apart) d.endpoint.fault = () => ({ hold: recorded.promise })
    tcp.fault = (command) => {
      if (!at.redis(command)) return undefined
      if (++seen >= FIRST_RESULT) recorded.resolve(undefined)
      return seen >= (at.nth ?? 1) && first() ? { phase: at.phase, act: die } : undefined
    }
  }
  else {
    const vendor = d[at.vendor]
    vendor.fault = (request) => {
      const { path, method, body } = request
      const isMeant = path.startsWith(at.path) && method === 'POST' && body.includes(at.says ?? '')
      if (!isMeant || !first()) return undefined
      return { hold: hold(vendor, request, at.phase, die) }
    }
  }
  return withTimeout(PATIENCE_MS, reached.promise, () => new Error('The point was never reached.')).then(() => {
    tcp.fault = () => undefined
    for (const vendor of [d.slack, d.resend, d.endpoint]) vendor.fault = () => undefined
  })
}

/**
 * Sends until the server accepts, and returns its answer. Refusals are retried, because a machine that stalls for
 * seconds
 * is too slow for the time limits of a click or a form. Returns null if the server died.
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
