import type { Recorded } from '../proxy'
import { commandRoutes } from './commands'
import type { Interactions } from './interactions'
import { DiscordError, refuse } from './problems'
import type { DiscordMessage, Interaction, Json } from './types'
import { openChannel, threadRoutes } from './threads'
import { EPHEMERAL } from './validate'
import { wire, type World } from './world'

interface Call {
  /** Decoded groups of the route's pattern */
  params: string[]
  query: URLSearchParams
  body: Json
}

export type Handler = (call: Call) => Json | undefined

export interface RestOptions {
  world: World
  interactions: Interactions
  token: string
  gateway: { url: string, identifies: number }
}

const PREFIX = '/api/v10'
const LOADING = 1 << 7

/** Creates the REST API. It never fails by itself; the proxy in front of it injects faults. */
export function createRest(options: RestOptions): (request: Recorded) => Promise<Response> {
  const table = Object.entries({
    ...guildRoutes(options), ...channelRoutes(options.world), ...threadRoutes(options.world), ...webhookRoutes(options),
  }).map(([route, handler]) => {
    const [method, path] = route.split(' ') as [string, string]
    return { method, handler, pattern: new RegExp(`^${PREFIX}${path.replaceAll(/:\w+/g, '([^/]+)')}$`) }
  })

  async function route({ method, path, headers, body }: Recorded): Promise<Json | undefined> {
    const { pathname, searchParams } = new URL(path, 'http://discord')
    // Routes with a token in their path need no other. All other routes need the bot's token.
    const open = new RegExp(`^${PREFIX}/(?:interactions|webhooks|gateway$)`).test(pathname)
    if (!open && headers.authorization !== `Bot ${options.token}`) throw new DiscordError(401, 0, '401: Unauthorized')
    const candidates = table.flatMap((entry) => {
      const match = entry.pattern.exec(pathname)
      return match ? [{ ...entry, params: match.slice(1).map(decodeURIComponent) }] : []
    })
    const entry = candidates.find(each => each.method === method)
    if (!entry && candidates.length > 0) throw new DiscordError(405, 0, '405: Method Not Allowed')
    if (!entry) throw new DiscordError(404, 0, '404: Not Found')
    return entry.handler({
      params: entry.params, query: searchParams, body: await parse(body, headers['content-type'] ?? ''),
    })
  }

  return async (request) => {
    try {
      const result = await route(request)
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
    }
    catch (error) {
      const { status, body } = error instanceof DiscordError
        ? error
        : { status: 500, body: { message: `500: Internal Server Error: ${String(error)}`, code: 0 } }
      return Response.json(body, { status })
    }
  }
}

async function parse(body: string, type: string): Promise<Json> {
  if (!body) return {}
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    const files = [...form].filter((entry): entry is [string, File] => typeof entry[1] !== 'string')
    const payload = JSON.parse(String(form.get('payload_json') ?? '{}')) as Json
    return { ...payload, attachments: files.map(([, { name, size }], id) => ({
      id: String(id), filename: name, size, url: 'http://127.0.0.1:9/none', proxy_url: 'http://127.0.0.1:9/none',
    })) }
  }
  if (!type.startsWith('application/json')) refuse(['another content type than application/json'])
  try {
    return JSON.parse(body) as Json
  }
  catch {
    throw new DiscordError(400, 50109, 'The request body contains invalid JSON.')
  }
}

function guildRoutes({ world, gateway }: RestOptions): Record<string, Handler> {
  const user = (id: string) => {
    const found = world.users.get(id)
    if (!found) throw new DiscordError(404, 10013, 'Unknown User')
    return found
  }
  return {
    'GET /gateway': () => ({ url: gateway.url }),
    'GET /gateway/bot': () => ({ url: gateway.url, shards: 1, session_start_limit: {
      total: 1000, remaining: Math.max(0, 1000 - gateway.identifies), reset_after: 14_400_000, max_concurrency: 1,
    } }),
    'GET /users/@me': () => world.bot,
    'POST /users/@me/channels': ({ body }) => world.openDm(user(String(body.recipient_id))),
    'GET /users/:id': ({ params: [id] }) => user(id!),
    ...commandRoutes(world),
    'GET /guilds/:id/threads/active': () => ({
      threads: [...world.channels.values()].filter(({ parent_id }) => parent_id), members: [],
    }),
  }
}

function channelRoutes(world: World): Record<string, Handler> {
  const react = (remove: boolean): Handler => ({ params: [channel, message, emoji] }) => {
    openChannel(world, channel!)
    world.react(world.message(message!, channel), emoji!, world.bot, remove)
    return undefined
  }
  return {
    'GET /channels/:id': ({ params: [id] }) => world.channel(id!),
    'POST /channels/:id/typing': ({ params: [id] }) => void world.channel(id!),
    'GET /channels/:id/messages': ({ params: [id], query }) => (
      page(world.inChannel(world.channel(id!).id), query).map(wire)
    ),
    'POST /channels/:id/messages': ({ params: [id], body }) => {
      openChannel(world, id!)
      if ((body.flags ?? 0) & EPHEMERAL) body.flags &= ~EPHEMERAL // only an interaction can be answered in private
      return wire(world.post(id!, world.bot, body))
    },
    'GET /channels/:id/messages/:message': ({ params: [id, message] }) => (
      world.channel(id!), wire(world.message(message!, id))
    ),
    'PATCH /channels/:id/messages/:message': ({ params: [id, message], body }) => {
      openChannel(world, id!)
      const found = world.message(message!, id)
      if (found.author.id !== world.bot.id) {
        throw new DiscordError(403, 50005, 'Cannot edit a message authored by another user')
      }
      return wire(world.edit(found, body))
    },
    'DELETE /channels/:id/messages/:message': ({ params: [id, message] }) => (
      openChannel(world, id!), void world.remove(world.message(message!, id))
    ),
    'PUT /channels/:id/messages/:message/reactions/:emoji/@me': react(false),
    'DELETE /channels/:id/messages/:message/reactions/:emoji/@me': react(true),
  }
}

/** Returns a page of messages, newest first. `after` selects the messages directly after the id, as on Discord. */
function page(messages: DiscordMessage[], query: URLSearchParams): DiscordMessage[] {
  const [after, before] = [query.get('after'), query.get('before')]
  const limit = Number(query.get('limit') ?? 50)
  if (limit < 1 || limit > 100) throw new DiscordError(400, 50035, 'Invalid Form Body')
  if (after !== null) return messages.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit).reverse()
  return messages.filter(({ id }) => before === null || BigInt(id) < BigInt(before)).reverse().slice(0, limit)
}

function webhookRoutes({ world, interactions }: RestOptions): Record<string, Handler> {
  const original = '@original'
  const reach = (token: string, id: string): { interaction: Interaction, message: DiscordMessage } => {
    const interaction = interactions.webhook(token)
    return { interaction, message: world.message(id === original ? interaction.originalId ?? '' : id) }
  }
  const follow = (token: string, data: Json): Json => {
    const interaction = interactions.webhook(token)
    const pending = interaction.response === 5 && interaction.originalId
      ? world.messages.get(interaction.originalId)
      : undefined
    // For backwards compatibility, the first follow-up after a deferral fills the placeholder.
    const message = pending && pending.flags & LOADING
      ? world.edit(pending, data)
      : world.post(interaction.channelId, world.bot, data, {
          interaction_metadata: { id: interaction.id, type: interaction.type, user: interaction.user },
        })
    interactions.record(interaction, { kind: 'create', via: 'rest', data, messageId: message.id })
    return wire(message)
  }
  const checked = (id: string) => {
    if (id !== world.bot.id) throw new DiscordError(404, 10015, 'Unknown Webhook')
  }
  return {
    'POST /interactions/:id/:token/callback': ({ params: [id, token], body }) => (
      void interactions.callback(id!, token!, body)
    ),
    'POST /webhooks/:app/:token': ({ params: [app, token], body }) => (checked(app!), follow(token!, body)),
    'PATCH /webhooks/:app/:token/messages/:message': ({ params: [app, token, id], body }) => {
      checked(app!)
      const { interaction, message } = reach(token!, id!)
      world.edit(message, body)
      interactions.record(interaction, { kind: 'edit', via: 'rest', data: body, messageId: message.id })
      return wire(message)
    },
  }
}
