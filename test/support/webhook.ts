import { until } from './until'

/** Time after which the bot counts as failed to start, ms */
const PATIENCE_MS = 20_000

interface Patience {
  /** Time limit of the platform for each answer, ms; later, the promise rejects. */
  withinMs?: number
  /** True if the first answer counts, even "the bot is still starting". */
  isOnce?: boolean
}

/**
 * Posts to a webhook as a platform does. Retries while the answer says that the bot is still starting, which takes
 * long on a busy machine. A user would click again too.
 */
export function post(url: string, init: RequestInit, { withinMs, isOnce = false }: Patience = {}): Promise<Response> {
  const deadline = isOnce ? 0 : Date.now() + PATIENCE_MS
  return until('an answer', async () => {
    const signal = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs)
    const response = await fetch(url, { ...init, method: 'POST', signal })
    return (Date.now() > deadline || !await isStarting(response)) && response
  })
}

/** Resolves once the bot is ready: later requests need no retry. */
export async function botUp(send: () => Promise<Response>): Promise<void> {
  await until('the bot', async () => !await isStarting(await send()))
}

async function isStarting(response: Response): Promise<boolean> {
  return response.status === 503 && (await response.clone().text()).includes('"BOT_UNAVAILABLE"')
}

/** Posts JSON as a page or a program does. Strings are sent unchanged. */
export function postJson(url: string | URL, body: unknown, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
