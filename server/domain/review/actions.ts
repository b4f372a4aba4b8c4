import { z } from 'zod'
import { ACTIONS, type ActionId, type InputAction } from '../../../shared/actions'
import { ADDRESSES_LENGTH } from '../fields/addresses'
import { isObject } from '../json'
import type { LifecycleEvent } from '../lifecycle/events'

interface ActionRule {
  /** Lifecycle event that the action causes. */
  event: LifecycleEvent['type']
  /** Name of the action in the log, if different. */
  logged?: string
  /** Additional members of its API request, and an example of the request. */
  request?: { members: Readonly<Record<string, z.ZodType>>, example: string }
}

/**
 * Effect of each action. The API's error lists the actions in this order. `assign` has no button: it assigns a
 * submission to somebody, even if somebody else is the assignee.
 */
const RULES = {
  'forward': { event: 'claimed' },
  'spam': { event: 'claimed' },
  'edit': { event: 'claimed', request: {
    members: { values: z.custom<Record<string, string>>(isTexts) },
    example: '{"action":"edit","values":{"f0":"text"}}, where f0 is the id of a field',
  } },
  'release': { event: 'released' },
  'undo': { event: 'revoked', logged: 'revoke forward' },
  'reopen': { event: 'revoked', logged: 'revoke spam' },
  'take': { event: 'taken' },
  'hand-back': { event: 'returned', logged: 'hand back' },
  'assign': { event: 'taken' },
  'erase': { event: 'erased' },
  'resend': { event: 'claimed', logged: 'forward', request: {
    members: { to: z.string().max(ADDRESSES_LENGTH).optional() },
    example: '{"action":"resend"}, with "to":"somebody@example.com" for another address',
  } },
} as const satisfies Record<ActionId | 'assign', ActionRule>

export type RuledAction = keyof typeof RULES

/** Actions that cause one of these events. */
export type ActionCausing<Event extends LifecycleEvent['type']> = {
  [Action in RuledAction]: (typeof RULES)[Action]['event'] extends Event ? Action : never
}[RuledAction]

export const ACTION_RULES: Readonly<Record<RuledAction, ActionRule>> = RULES

/** True if the request's action causes one of these events. */
export function causes<Request extends { action: RuledAction }, Event extends LifecycleEvent['type']>(
  request: Request, ...events: readonly Event[]
): request is Extract<Request, { action: ActionCausing<Event> }> {
  return events.some(event => ACTION_RULES[request.action].event === event)
}

/** Request id, chosen by the client. A client that retries sends the same id, so that the decision is made once. */
export const requestIdSchema = z.string().max(64).optional()

/** One of these actions, without further details. */
export type PlainRequest<Actions extends RuledAction> = { [Each in Actions]: { action: Each } }[Actions]

/** Request to the API for an action on one submission. */
type ActionRequest = { press?: string } & (
  | PlainRequest<Exclude<ActionId, InputAction>>
  | { action: 'edit', values: Record<string, string> }
  | { action: 'resend', to?: string }
)

const REQUESTS = Object.entries(ACTION_RULES).filter(([action]) => action in ACTIONS)
const EXAMPLES = REQUESTS.map(([action, { request }]) => request?.example ?? JSON.stringify({ action }))

// Keep the order of the members: it changes the digest of a request, which is stored.
export const actionRequestSchema = z.union(
  REQUESTS.map(([action, { request }]) => (
    z.object({ action: z.literal(action), ...request?.members, press: requestIdSchema })
  )),
  `Send ${EXAMPLES.slice(0, -1).join(', ')}, or ${EXAMPLES.at(-1)}`,
) as unknown as z.ZodType<ActionRequest>

/** True for an object of texts by input id. `z.record` would ignore the key `__proto__`. */
function isTexts(values: unknown): boolean {
  return isObject(values) && Object.entries(values).every(([id, text]) => /^f\d+$/.test(id) && typeof text === 'string')
}
