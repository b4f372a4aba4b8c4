import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { adaptiveCardActions, adaptiveCardProblems, undescribed, type Json } from './adaptive-card'
import { startProxy, type Recorded } from './proxy'
import { post } from './webhook'

const APP_ID = '6b1f8d1c-0f3a-4a52-9d2e-1c5f7a9b3e10'
const TENANT = '0c9d2b7e-51aa-4f0e-8a34-2f6d0b9c7e55'
const SIGN_IN = [TENANT, 'botframework.com'].map(tenant => `/${tenant}/oauth2/v2.0/token`)
const SECRET = 'teams-client-secret'
const CHANNEL = '19:triage@thread.tacv2'
/** Ada's direct chat with the bot */
const DIRECT = 'a:1ada-and-the-bot'
const KID = 'bot-framework-1'

export interface TeamsMessage {
  id: string
  conversation: string
  summary?: string
  card: Json
}

/** A text message of the bot, with all its versions */
interface TeamsText { id: string, conversation: string, versions: string[] }

export interface SignOptions {
  claims?: JWTPayload
  /** Epoch seconds */
  expiresAt?: number
  /** Signs with a key that Microsoft does not publish. */
  forged?: boolean
  authorization?: string | null
  /** A conversation other than the thread of the card */
  conversation?: string
}

export type Teams = Awaited<ReturnType<typeof startTeams>>

/** Starts a double of Microsoft with all that a bot in one channel needs: sign-in, signing keys and Bot Connector. */
export async function startTeams() {
  const [microsoft, stranger] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...await exportJWK(microsoft.publicKey), kid: KID, use: 'sig', alg: 'RS256', endorsements: ['msteams'] }
  // The SDK reads the token's claims before it sends it.
  const token = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ appid: APP_ID, exp: 4_000_000_000 })).toString('base64url')}.x`
  const messages = new Map<string, TeamsMessage>()
  const texts = new Map<string, TeamsText>()
  /** Messages to one member of the channel only */
  const whispers: { to: string, text: string }[] = []
  /** Conversations that the app was added to */
  const joined = new Set([CHANNEL, DIRECT])
  let next = 1_700_000_000_000

  const proxy = await startProxy(async (request) => {
    // Keys of the Bot Connector, and of every tenant
    if (request.path.endsWith('/.well-known/keys') || request.path.endsWith('/discovery/v2.0/keys')) {
      return Response.json({ keys: [jwk] })
    }
    if (SIGN_IN.some(path => request.path.startsWith(path))) return signIn(request)
    return connector(request)
  })

  function signIn({ body }: Recorded): Response {
    const form = new URLSearchParams(body)
    const known = form.get('client_id') === APP_ID && form.get('client_secret') === SECRET
      && form.get('scope')?.includes('https://api.botframework.com/.default')
    return known
      ? Response.json({ token_type: 'Bearer', expires_in: 3600, access_token: token })
      : Response.json({ error: 'invalid_client', error_description: 'AADSTS7000215' }, { status: 401 })
  }

  function connector({ method, path, headers, body }: Recorded): Response {
    const refuse = (status: number, code: string) => Response.json({ error: { code, message: code } }, { status })
    if (headers.authorization !== `Bearer ${token}`) return refuse(401, 'Unauthorized')
    if (path.endsWith('/members/29%3Aada') && path.includes(encodeURIComponent(CHANNEL))) {
      return Response.json({ id: '29:ada', name: 'Ada Lovelace' })
    }
    if (path.includes('/members/')) return refuse(404, 'MemberNotFoundInConversation')
    const [, conversation = '', , id] = /^\/teams\/v3\/conversations\/([^/]+)\/activities(\/([^/?]+))?(?:\?isTargetedActivity=true)?$/.exec(path)?.map(part => part && decodeURIComponent(part)) ?? []
    if (!joined.has(conversation.split(';')[0]!)) return refuse(404, 'ConversationNotFound')
    if (method === 'PUT' && !messages.has(id ?? '') && !texts.has(id ?? '')) {
      return refuse(404, 'ActivityNotFoundInConversation')
    }
    const activity = JSON.parse(body) as Json
    if (activity.type === 'typing') return Response.json({ id: String(next++) }, { status: 201 })
    const card = activity.attachments?.[0]?.content as Json | undefined
    if (path.endsWith('?isTargetedActivity=true')) {
      // https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
      if (!conversation.startsWith('19:') || !activity.recipient?.isTargeted) return refuse(400, 'BadSyntax')
      whispers.push({ to: activity.recipient.id, text: String(activity.text) })
      return Response.json({ id: String(next++) }, { status: 201 })
    }
    if (activity.type === 'message' && !card && activity.text) return speak(id, conversation, String(activity.text))
    if (activity.type !== 'message' || !card) return refuse(400, 'BadSyntax')
    const problems = adaptiveCardProblems(card)
    if (problems.length > 0) return refuse(400, problems.join(' '))
    const message = { id: id ?? String(next++), conversation, summary: activity.summary, card }
    messages.set(message.id, message)
    return Response.json({ id: message.id }, { status: method === 'PUT' ? 200 : 201 })
  }

  function speak(id: string | undefined, conversation: string, text: string): Response {
    const said = texts.get(id ?? '') ?? { id: String(next++), conversation, versions: [] }
    said.versions.push(text)
    texts.set(said.id, said)
    return Response.json({ id: said.id }, { status: id ? 200 : 201 })
  }

  async function deliver(serverUrl: string, sent: Json, {
    conversation, claims, expiresAt = Math.floor(Date.now() / 1000) + 3600, forged = false, authorization,
  }: SignOptions = {}): Promise<Response> {
    const jwt = await new SignJWT({ serviceurl: serviceUrl(), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: KID }).setIssuedAt().setExpirationTime(expiresAt)
      .setIssuer(claims?.iss ?? 'https://api.botframework.com').setAudience(claims?.aud ?? APP_ID)
      .sign((forged ? stranger : microsoft).privateKey)
    const activity = conversation === undefined
      ? sent
      : {
          ...sent, conversation: { id: conversation, conversationType: 'personal', tenantId: TENANT },
          channelData: { tenant: { id: TENANT } },
        }
    const bearer = authorization === undefined ? `Bearer ${jwt}` : authorization
    const headers = { 'content-type': 'application/json', ...bearer ? { authorization: bearer } : {} }
    const response = await post(`${serverUrl}/api/webhooks/teams`, { headers, body: JSON.stringify(activity) })
    const answer = response.ok ? await response.clone().text() : ''
    const dialog = answer.startsWith('{') ? (JSON.parse(answer) as Json).task?.value.card?.content as Json : undefined
    const problems = dialog ? undescribed(dialog) : []
    if (problems.length > 0) throw new Error(`Teams would not show this dialog: ${problems.join(' ')}`)
    return response
  }

  /**
   * Returns an activity in the documented format:
   * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/what-are-task-modules
   */
  function activityOf(message: Pick<TeamsMessage, 'id'> & Partial<TeamsMessage>, more: Json): Json {
    const isInThread = message.conversation?.includes(';')
    return {
      id: `f:${randomUUID()}`, channelId: 'msteams', serviceUrl: serviceUrl(), timestamp: new Date().toISOString(),
      locale: 'en-GB',
      from: { id: '29:ada', name: 'Ada Lovelace', aadObjectId: randomUUID() },
      recipient: { id: `28:${APP_ID}`, name: 'form-bot' },
      conversation: {
        id: isInThread ? message.conversation : `${CHANNEL};messageid=${message.id}`, conversationType: 'channel',
        isGroup: true, tenantId: TENANT,
      },
      channelData: {
        channel: { id: CHANNEL }, team: { id: '19:team@thread.tacv2' }, tenant: { id: TENANT },
        source: { name: 'message' },
      },
      replyToId: message.id, ...more,
    }
  }

  /** Sends Ada's message to the bot: a mention in the channel, or a direct chat. Resolves with the conversation. */
  async function write(
    serverUrl: string, text: string, place: 'channel' | 'direct', options?: SignOptions,
  ): Promise<{ response: Response, conversation: string }> {
    const id = String(next++)
    const conversation = place === 'direct' ? DIRECT : `${CHANNEL};messageid=${id}`
    const mention = { type: 'mention', text: '<at>form-bot</at>', mentioned: { id: `28:${APP_ID}`, name: 'form-bot' } }
    const said = place === 'direct'
      ? {
          text, conversation: { id: conversation, conversationType: 'personal', tenantId: TENANT },
          channelData: { tenant: { id: TENANT } },
        }
      : { text: `<at>form-bot</at> ${text}`, entities: [mention], conversation: {
          id: conversation, conversationType: 'channel', isGroup: true, tenantId: TENANT,
        } }
    const { replyToId: _, ...activity } = activityOf({ id }, { id, type: 'message', textFormat: 'plain', ...said })
    return { response: await deliver(serverUrl, activity, options), conversation }
  }

  const serviceUrl = () => `${proxy.url}/teams`
  const all = () => [...messages.values()]
  return Object.assign(proxy, {
    env: {
      TEAMS_APP_ID: APP_ID, TEAMS_APP_PASSWORD: SECRET, TEAMS_APP_TENANT_ID: TENANT, TEAMS_CHANNEL_ID: CHANNEL,
      TEAMS_API_URL: serviceUrl(),
    },
    /** Hosts built into the SDK */
    hosts: { 'login.microsoftonline.com': proxy.url, 'login.botframework.com': proxy.url },
    messages: all, whispers, write, joined,
    texts: () => [...texts.values()],
    /** Sends an activity with Microsoft's signature. */
    send: (url: string, more: Json, options?: SignOptions) => deliver(url, activityOf({ id: '' }, more), options),
    /** Sends a made-up value as a click of the given `type`; Teams has several types. */
    press: (
      serverUrl: string, type: 'message' | 'adaptiveCard/action' | 'task/fetch' | 'task/submit', value: unknown,
    ) => (
      deliver(serverUrl, activityOf(
        all()[0]!, type === 'message' ? { type, text: '', value } : { type: 'invoke', name: type, value },
      ))
    ),
    /** Returns the message with the submission's buttons. */
    cardOf: (id: string) => all().find(({ card }) => adaptiveCardActions(card).some(({ data }) => data?.value === id)),
    /** Presses a button of the card as Ada Lovelace; if it opens a dialog, the answer contains it. */
    click: (serverUrl: string, message: TeamsMessage, title: string, options?: SignOptions) => {
      const { data } = adaptiveCardActions(message.card).find(action => action.title === title)!
      const isDialog = data.msteams?.type === 'task/fetch'
      return deliver(
        serverUrl,
        activityOf(
          message,
          isDialog
            ? { type: 'invoke', name: 'task/fetch', value: {
                data: { ...data, type: 'task/fetch' }, context: { theme: 'default' },
              } }
            : { type: 'message', text: '', value: data },
        ),
        options,
      )
    },
    /** Sends a private message to the bot. The default user, `29:ada`, is Ada Lovelace, a member of the team. */
    writeInPrivate: (serverUrl: string, text: string, userId = '29:ada') => deliver(serverUrl, activityOf({ id: '1' }, {
      type: 'message', text, replyToId: undefined, id: String(next++), from: { id: userId, name: 'Somebody' },
    }), { conversation: `a:${userId}` }),
    /** Submits a dialog with the typed values. Like the client, keeps untouched inputs and omits empty ones. */
    submit: (serverUrl: string, dialog: Json, typed: Record<string, string>, options?: SignOptions) => {
      const { data } = dialog.actions[0]
      const inputs = (dialog.body as Json[]).filter(({ type }) => type.startsWith('Input.'))
      // The client leaves out empty inputs.
      const values = Object.fromEntries(
        inputs.map(({ id, value }) => [id, typed[id] ?? value]).filter(([, value]) => (value ?? '') !== ''),
      )
      return deliver(serverUrl, activityOf(all()[0]!, {
        type: 'invoke', name: 'task/submit', value: { data: { ...data, ...values }, context: { theme: 'default' } },
      }), options)
    },
  })
}
