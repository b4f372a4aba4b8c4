import { until } from './until'

/** Whoever waits longer for the bot takes it that it does not start, ms. */
const PATIENCE_MS = 20_000

interface Patience {
  /** How long the platform waits for each answer, ms; it rejects then. */
  withinMs?: number
  /** The first answer counts, also one that the bot is still starting. */
  isOnce?: boolean
}

/**
 * Posts to a webhook as a platform does, or a person who clicks once more: again while it is answered that the bot is
 * still starting, for which a busy machine takes its time.
 */
export function post(url: string, init: RequestInit, { withinMs, isOnce = false }: Patience = {}): Promise<Response> {
  const deadline = isOnce ? 0 : Date.now() + PATIENCE_MS
  return until('an answer', async () => {
    const signal = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs)
    const response = await fetch(url, { ...init, method: 'POST', signal })
    return (Date.now() > deadline || !await isStarting(response)) && response
  })
}

/** Resolves once the bot is up: whoever speaks to it from then on need not come again. */
export async function botUp(send: () => Promise<Response>): Promise<void> {
  await until('the bot', async () => !await isStarting(await send()))
}

async function isStarting(response: Response): Promise<boolean> {
  return response.status === 503 && (await response.clone().text()).includes('"BOT_UNAVAILABLE"')
}

/** Posts JSON as a page or a program does; text is sent as it is. */
export function postJson(url: string | URL, body: unknown, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}
