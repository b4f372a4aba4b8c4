import type { Recorded } from '../proxy'
import { strangers } from '../rules'
import type { Json } from './types'

interface Schema {
  safeParse: (body: unknown) => { data?: unknown, error?: { issues: { path: PropertyKey[], message: string }[] } }
}

/** Possible bodies of each call, by their names in Discord's OpenAPI file */
const BODIES = {
  'POST /channels/:id/messages': ['MessageCreateRequest'],
  'PATCH /channels/:id/messages/:message': ['MessageEditRequestPartial'],
  'POST /channels/:id/messages/:message/threads': ['CreateTextThreadWithMessageRequest'],
  'PATCH /channels/:id': ['UpdateThreadRequestPartial', 'UpdateGuildChannelRequestPartial'],
  'POST /users/@me/channels': ['CreatePrivateChannelRequest'],
  'POST /applications/:id/commands': ['ApplicationCommandCreateRequest'],
  'POST /webhooks/:app/:token': ['IncomingWebhookRequestPartial'],
  'PATCH /webhooks/:app/:token/messages/:message': ['IncomingWebhookUpdateRequestPartial'],
  'POST /interactions/:id/:token/callback': [
    'PongInteractionCallbackRequest', 'CreateMessageInteractionCallbackRequest',
    'UpdateMessageInteractionCallbackRequest', 'ModalInteractionCallbackRequest',
  ],
} as const

type Call = keyof typeof BODIES

const CALLS = (Object.keys(BODIES) as Call[]).map(call => ({
  call, pattern: new RegExp(`^${call.replace(' ', ' /api/v10').replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`),
}))

/** Returns a check for how a body of a call differs from Discord's description, compared to its closest variant. */
export async function describing(): Promise<(call: Call, body: unknown) => string[]> {
  // @ts-expect-error The package has no types for its schemas.
  const schemas: Record<string, Schema> = await import('discord-api-spec/zod')
  return (call, body) => BODIES[call].map(name => mistakesOf(schemas[`${name}Schema`]!, body))
    .reduce((nearest, mistakes) => mistakes.length < nearest.length ? mistakes : nearest)
    .map(mistake => `${call} ${mistake}`)
}

/** Returns the differences between Discord's description and the given requests and replies. */
export async function undescribed(requests: readonly Recorded[], replies: readonly Json[]): Promise<string[]> {
  const mistakes = await describing()
  return [
    ...requests.filter(({ body }) => body).flatMap(({ method, path, headers, body }) => {
      const known = CALLS.find(({ pattern }) => pattern.test(`${method} ${path}`))
      if (!known) return [`${method} ${path} has a body.`]
      return mistakes(known.call, parse(body, headers['content-type'] ?? ''))
    }),
    ...replies.flatMap(reply => mistakes('POST /interactions/:id/:token/callback', reply)),
  ]
}

function parse(body: string, type: string): unknown {
  const [, json = body] = type.startsWith('multipart/')
    ? /name="payload_json"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(body) ?? []
    : []
  return JSON.parse(json)
}

function mistakesOf(schema: Schema, body: unknown): string[] {
  const { error, data } = schema.safeParse(body)
  return error
    ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    : strangers(body, data).map(path => `${path}: Discord does not know it`)
}
