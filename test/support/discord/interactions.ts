import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { clickable } from './components'
import { commandData, COMMAND } from './commands'
import { submittedComponents, validateModal } from './modal'
import { DiscordError, refuse } from './problems'
import { DEFER_MESSAGE, DEFER_UPDATE, fittingReplies, MESSAGE, MODAL, parse, UPDATE } from './replies'
import type { Answer, DiscordMessage, Interaction, InteractionResponse, Json, OpenedModal, SendOptions } from './types'
import { EPHEMERAL } from './validate'
import { wire, type World } from './world'
import { post } from '../webhook'

/** discord-api-docs, developers/interactions/receiving-and-responding.mdx */
const TOKEN_VALID_MS = 15 * 60_000
const PONG = 1
const MODAL_SUBMIT = 5

type Given = Pick<Answer, 'status' | 'body'>

export type Interactions = ReturnType<typeof createInteractions>

/** Creates clicks and forms: their payloads, their signatures, and the effects of the bot's response. */
export function createInteractions(world: World, answerWithinMs: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const known = new Map<string, Interaction>()
  const responses: InteractionResponse[] = []

  const record = ({ id }: Interaction, response: Omit<InteractionResponse, 'interactionId' | 'at'>) => {
    responses.push({ interactionId: id, at: Date.now(), ...response })
  }

  async function send(
    url: string, body: string, { headers, timestamp = Math.floor(Date.now() / 1000), tamper }: SendOptions = {},
  ): Promise<Response> {
    const signature = sign(null, Buffer.from(`${timestamp}${body}`), privateKey).toString('hex')
    const all = {
      'content-type': 'application/json', 'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
      'x-signature-ed25519': signature, 'x-signature-timestamp': String(timestamp), ...headers,
    }
    const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return post(url, { headers: present, body: tamper ? tamper(body) : body }, { withinMs: answerWithinMs })
  }

  function open(
    type: number, channelId: string, { user = world.reviewer }: SendOptions, messageId?: string,
  ): Interaction {
    const interaction: Interaction = {
      id: world.nextId(), token: randomBytes(32).toString('base64url'), type, channelId, user, createdAt: Date.now(),
      messageId,
    }
    known.set(interaction.token, interaction)
    return interaction
  }

  function payloadOf({ id, token, type, channelId, user }: Interaction, data: Json, message?: DiscordMessage): Json {
    const channel = world.channel(channelId)
    const guild = Boolean(channel.guild_id)
    return {
      id, application_id: world.bot.id, type, token, version: 1, data, channel_id: channelId, channel, locale: 'en-US',
      entitlements: [], attachment_size_limit: 10_485_760, app_permissions: '2248473465835073',
      authorizing_integration_owners: guild ? { 0: world.guildId } : { 0: '0' }, context: guild ? 0 : 1,
      ...message ? { message: wire(message) } : {},
      ...guild
        ? {
            guild_id: world.guildId, guild: { id: world.guildId, locale: 'en-US', features: [] }, guild_locale: 'en-US',
            member: { ...world.member(user), permissions: '2248473465835073' },
          }
        : { user },
    }
  }

  async function deliver(url: string, interaction: Interaction, payload: Json, options: SendOptions): Promise<Answer> {
    const answer = { interactionId: interaction.id, token: interaction.token }
    const given = url === 'gateway' ? await overGateway(interaction, payload) : await overHttp(url, payload, options)
    if (!given) {
      if (interaction.response !== undefined) return { ...answer, status: 0, body: {} } // the callback was in time
      known.delete(interaction.token)
      return { ...answer, status: 0, body: {}, timedOut: true }
    }
    const { status, body } = given
    if (status < 200 || status > 299) return { ...answer, ...given }
    // Already answered through the callback: the HTTP answer must be empty.
    if (interaction.response !== undefined && url !== 'gateway') {
      if (body.type !== undefined) {
        throw new Error(
          `Interaction ${interaction.id} was answered twice: through REST and, with type ${String(body.type)}, over HTTP`,
        )
      }
      return { ...answer, ...given }
    }
    if (url !== 'gateway') first(interaction, body, 'http')
    return { ...answer, ...given, ...outcome(interaction, body) }
  }

  async function overHttp(url: string, payload: Json, options: SendOptions): Promise<Given | undefined> {
    try {
      const response = await send(url, JSON.stringify(payload), options)
      return { status: response.status, body: parse(await response.text()) }
    }
    catch (error) {
      if ((error as Error).name === 'TimeoutError') return undefined
      throw error
    }
  }

  function overGateway(interaction: Interaction, payload: Json): Promise<Given | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, answerWithinMs)
      interaction.answered = (body) => {
        clearTimeout(timer)
        resolve({ status: 200, body })
      }
      world.dispatch('INTERACTION_CREATE', payload)
    })
  }

  /** Checks the first response and applies it. */
  function first(interaction: Interaction, body: Json, via: 'http' | 'rest'): void {
    const clicked = interaction.messageId ? world.messages.get(interaction.messageId) : undefined
    try {
      if (!fittingReplies(interaction).includes(body.type)) {
        refuse([`a response of type ${String(body.type)} to an interaction of type ${interaction.type}`])
      }
      const ours = { interaction_metadata: {
        id: interaction.id, type: interaction.type, user: interaction.user, authorizing_integration_owners: {},
      } }
      if (body.type === MODAL) validateModal(body.data as Json | undefined)
      if (body.type === MESSAGE) {
        interaction.originalId = world.post(interaction.channelId, world.bot, body.data ?? {}, ours).id
      }
      if (body.type === DEFER_MESSAGE) {
        interaction.originalId = world.placeholder(interaction.channelId, (body.data?.flags ?? 0) & EPHEMERAL, ours).id
      }
      if (body.type === DEFER_UPDATE || body.type === UPDATE) interaction.originalId = interaction.messageId
      if (body.type === UPDATE) {
        if (!clicked) throw new DiscordError(404, 10008, 'Unknown Message')
        world.edit(clicked, body.data ?? {})
      }
    }
    catch (error) {
      if (via === 'rest' || !(error instanceof DiscordError)) throw error
      throw new Error(
        `Discord would refuse this response to interaction ${interaction.id}: ${JSON.stringify(error.body)}\n${JSON.stringify(body)}`,
        { cause: error },
      )
    }
    interaction.response = body.type as number
    const { originalId: messageId } = interaction
    record(interaction, { kind: 'respond', via, type: body.type, data: body.data ?? {}, messageId })
  }

  function outcome(interaction: Interaction, body: Json): Partial<Answer> {
    const message = interaction.originalId ? world.messages.get(interaction.originalId) : undefined
    const clicked = interaction.messageId ? world.messages.get(interaction.messageId) : undefined
    if (body.type === MODAL) {
      return { opened: structuredClone({ modal: body.data as Json, ...clicked ? { message: clicked } : {} }) }
    }
    return message && body.type !== DEFER_UPDATE ? { message: structuredClone(message) } : {}
  }

  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    responses, send, record,
    ping: async (url: string, options: SendOptions = {}): Promise<Answer> => {
      const { id, token, type } = open(1, world.channelId, options)
      const given = await overHttp(url, {
        id, token, type, application_id: world.bot.id, version: 1, user: world.reviewer, entitlements: [],
      }, options)
      if (given?.status === 200 && given.body.type !== PONG) {
        throw new Error(`A PING is answered by type 1, not ${JSON.stringify(given.body)}`)
      }
      return { interactionId: id, token, ...given ?? { status: 0, body: {}, timedOut: true } }
    },
    /** A user types a registered command. */
    command: (
      url: string, words: string,
      { channelId = world.channelId, ...options }: SendOptions & { channelId?: string } = {},
    ) => {
      const interaction = open(COMMAND, channelId, options)
      return deliver(url, interaction, payloadOf(interaction, commandData(world, words)), options)
    },
    component: (
      url: string, message: DiscordMessage, customId: string, values?: string[], options: SendOptions = {},
    ) => {
      const component = clickable(message, customId)
      const interaction = open(3, message.channel_id, options, message.id)
      const data = {
        component_type: component.type, custom_id: customId, id: component.id, ...values ? { values } : {},
      }
      return deliver(url, interaction, payloadOf(interaction, data, world.messages.get(message.id) ?? message), options)
    },
    submitModal: (
      url: string, opened: OpenedModal, values: Record<string, string | string[]>, options: SendOptions = {},
    ) => {
      const channelId = opened.message?.channel_id ?? world.channelId
      const interaction = open(MODAL_SUBMIT, channelId, options, opened.message?.id)
      const data = { custom_id: opened.modal.custom_id, components: submittedComponents(opened, values) }
      const message = opened.message && (world.messages.get(opened.message.id) ?? opened.message)
      return deliver(url, interaction, payloadOf(interaction, data, message), options)
    },
    /** First response through REST */
    callback: (id: string, token: string, body: Json) => {
      const interaction = known.get(token)
      if (interaction?.response !== undefined) {
        throw new DiscordError(400, 40060, 'Interaction has already been acknowledged.')
      }
      if (interaction?.id !== id || Date.now() - interaction.createdAt > answerWithinMs) {
        throw new DiscordError(404, 10062, 'Unknown interaction')
      }
      first(interaction, body, 'rest')
      interaction.answered?.(body)
    },
    /** Returns an interaction whose webhook is valid now. */
    webhook: (token: string) => {
      const interaction = known.get(token)
      if (interaction?.response === undefined) throw new DiscordError(404, 10015, 'Unknown Webhook')
      if (Date.now() - interaction.createdAt > TOKEN_VALID_MS) {
        throw new DiscordError(401, 50027, 'Invalid Webhook Token')
      }
      return interaction
    },
  }
}
