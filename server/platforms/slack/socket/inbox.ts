import type { StateAdapter } from 'chat'
import { withinOrNull } from '../../../../shared/utils/time'
import type { ListenerOptions } from '../../connection'
import { trust } from '../workspaces'

/** Time for which the answer to an envelope is kept, ms: Slack sends an event again for some minutes. */
const KEPT_MS = 3_600_000
/** Max wait for the store, ms; Slack waits 3 s for the answer */
const LOOKUP_MS = 150
/** Max answers kept in this process */
const MAX_RECENT = 1000

/** https://docs.slack.dev/apis/events-api/using-socket-mode#events */
export interface SocketEnvelope {
  envelope_id: string
  /** `events_api`, `interactive` or `slash_commands` */
  type: string
  /** Body that a webhook would have */
  payload: Record<string, unknown>
  accepts_response_payload?: boolean
}

/**
 * Handles each envelope once, over all replicas. Slack sends one again, on any socket, if it gets no answer. An answer
 * that was lost with its socket is sent again.
 */
export class Inbox {
  /** Answers of this process, also those in progress, by key */
  private readonly recent = new Map<string, Promise<string>>()

  constructor(private readonly state: StateAdapter, private readonly receive: ListenerOptions['receive']) {}

  /** Returns JSON, or an empty text. Rejects if the envelope has to come again. */
  answer(envelope: SocketEnvelope): Promise<string> {
    const key = keyOf(envelope)
    const known = this.recent.get(key)
    if (known) return known
    const answering = this.handle(key, envelope)
    this.recent.set(key, answering)
    answering.catch(() => this.recent.delete(key))
    if (this.recent.size > MAX_RECENT) this.recent.delete(this.recent.keys().next().value!)
    return answering
  }

  private async handle(key: string, envelope: SocketEnvelope): Promise<string> {
    // Without the store, a message would be lost. A click is handled, so that the person gets to know.
    const stored = await withinOrNull(LOOKUP_MS, this.state.get<{ answer: string }>(key)).catch((error) => {
      if (envelope.type === 'events_api') throw error
      return null
    })
    if (stored) return stored.answer
    const response = await this.receive(toRequest(envelope))
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const answer = response.headers.get('content-type')?.includes('json') ? await response.text() : ''
    const noted = withinOrNull(LOOKUP_MS, this.state.set(key, { answer }, KEPT_MS))
    await noted.catch(() => { /* Decisions and messages are compared once more. */ })
    return answer
  }
}

/** Returns a key of the event or the interaction: it is the same when that comes again in another envelope. */
function keyOf({ envelope_id, payload }: SocketEnvelope): string {
  return `slack-socket:seen:${String(payload?.event_id ?? payload?.trigger_id ?? envelope_id)}`
}

/**
 * The webhook that Slack would have sent, which the adapter accepts without a signature. It looks like a first attempt:
 * the SDK drops others, although the process that got the first one may have died.
 */
function toRequest({ type, payload }: SocketEnvelope): Request & { arrivalMs: number } {
  const isEvent = type === 'events_api'
  // The type comes first, as in Slack's webhooks.
  const json = () => JSON.stringify({ type: payload.type, ...payload })
  const fields = () => type === 'interactive' ? { payload: json() } : payload as Record<string, string>
  const request = new Request('https://slack.invalid/', {
    method: 'POST', body: isEvent ? json() : String(new URLSearchParams(fields())),
    headers: { 'content-type': `application/${isEvent ? 'json' : 'x-www-form-urlencoded'}` },
  })
  trust(request)
  return Object.assign(request, { arrivalMs: 0 })
}
