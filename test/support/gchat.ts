import { randomUUID } from 'node:crypto'
import { exportPKCS8, exportSPKI, generateKeyPair, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import type { Json } from './adaptive-card'
import { undescribed } from './gchat-bodies'
import { googleButtons, googleMessageProblems } from './google-card'
import { startProxy, type Recorded } from './proxy'
import { post } from './webhook'

const PROJECT = '123456789012'
const SPACE = 'spaces/AAAAtriage'
const ACCOUNT = 'form-bot@triage.iam.gserviceaccount.com'
const CHAT = 'chat@system.gserviceaccount.com'
const ADD_ON = `service-${PROJECT}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`
const ENDPOINT = 'https://forms.example.com/api/webhooks/gchat'

export interface SignOptions {
  /** Kind of token: an app's, whose audience is the app's address (default) or project number; or an add-on's */
  as?: 'endpoint' | 'project' | 'add-on'
  claims?: JWTPayload
  /** Epoch seconds */
  expiresAt?: number
  /** Signs with a key that Google does not publish. */
  forged?: boolean
  authorization?: null
  /** A space other than that of the cards */
  space?: string
}

/** Options of a message that Ada writes to the app in a thread of the space */
interface Written {
  /** Mentions before the text; the app by default */
  mentions?: readonly { name: string, displayName: string }[]
  /** Fields that replace the usual ones of the message; undefined removes a field. */
  more?: Json
  /** A space other than that of the cards */
  space?: string
  options?: SignOptions
}

export const APP = { name: 'users/987654321', displayName: 'Triage' }

export type GoogleChat = Awaited<ReturnType<typeof startGoogleChat>>

/** Starts a double of Google with everything that an app in one space needs: sign-in, signing keys and the Chat API. */
export async function startGoogleChat() {
  const [google, stranger, account] = await Promise.all([
    generateKeyPair('RS256'), generateKeyPair('RS256'), generateKeyPair('RS256', { extractable: true }),
  ])
  const certs = { google: await exportSPKI(google.publicKey) }
  const accessToken = `ya29.${randomUUID()}`
  /** Spaces that the app was added to */
  const joined = new Set([SPACE])
  const messages = new Map<string, Json>()
  const byRequest = new Map<string, Json>()

  const proxy = await startProxy(async (request) => {
    if (request.path.startsWith('/oauth2/v1/certs') || request.path.startsWith('/service_accounts/v1/metadata/x509/')) {
      return Response.json(certs)
    }
    if (request.path === '/token') return signIn(request)
    return api(request)
  }, undescribed)

  async function signIn({ body }: Recorded): Promise<Response> {
    const verified = await jwtVerify(new URLSearchParams(body).get('assertion') ?? '', account.publicKey, {
      issuer: ACCOUNT, audience: 'https://oauth2.googleapis.com/token',
    }).catch(() => null)
    const scopes = String(verified?.payload.scope).split(' ')
    if (!scopes.includes('https://www.googleapis.com/auth/chat.bot')) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    return Response.json({ access_token: accessToken, token_type: 'Bearer', expires_in: 3599 })
  }

  function api({ method, path, headers, body }: Recorded): Response {
    const refuse = (code: number, status: string) => Response.json(
      { error: { code, status, message: status } }, { status: code },
    )
    const url = new URL(path, 'http://chat')
    const name = url.pathname.replace('/v1/', '')
    if (headers.authorization !== `Bearer ${accessToken}`) return refuse(401, 'UNAUTHENTICATED')
    if (name.startsWith(`${SPACE}/members/`)) {
      return name.endsWith('/1234')
        ? Response.json({ name, state: 'JOINED', member: { name: 'users/1234', type: 'HUMAN' } })
        : refuse(404, 'NOT_FOUND')
    }
    const space = /^(spaces\/[^/]+)\/messages/.exec(name)?.[1] ?? ''
    if (!joined.has(space)) return refuse(403, 'PERMISSION_DENIED')
    const content = JSON.parse(body) as Json
    const isText = typeof content.text === 'string' && content.text !== ''
    if (!isText && googleMessageProblems(content).length > 0) {
      return refuse(400, googleMessageProblems(content).join(' '))
    }
    // The service edits with PATCH, and the SDK's text with PUT.
    if (method === 'PATCH' || method === 'PUT') {
      const message = messages.get(name)
      if (!message) return refuse(404, 'NOT_FOUND')
      if (url.searchParams.get('updateMask') !== (isText ? 'text,cardsV2' : 'cardsV2')) {
        return refuse(400, 'INVALID_ARGUMENT')
      }
      return Response.json(Object.assign(message, isText ? { text: content.text } : { cardsV2: content.cardsV2 }))
    }
    const requestId = url.searchParams.get('requestId')
    const known = requestId && byRequest.get(requestId)
    if (known) return Response.json(known)
    const id = randomUUID().slice(0, 11)
    const message = {
      thread: { name: `${space}/threads/${id}` }, ...content, name: `${space}/messages/${id}.${id}`,
      createTime: new Date().toISOString(), space: { name: space },
      sender: { ...APP, type: 'BOT' },
    }
    messages.set(message.name, message)
    if (requestId) byRequest.set(requestId, message)
    return Response.json(message)
  }

  async function tokenOf({
    as = 'endpoint', claims, expiresAt = Math.floor(Date.now() / 1000) + 3600, forged = false,
  }: SignOptions): Promise<string> {
    const who = as === 'project'
      ? { iss: CHAT, aud: PROJECT }
      : {
          iss: 'https://accounts.google.com', aud: ENDPOINT, email: as === 'add-on' ? ADD_ON : CHAT,
          email_verified: true,
        }
    const token = new SignJWT({ sub: '1', ...who, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'google' })
    const { privateKey } = forged ? stranger : google
    return token.setIssuedAt(expiresAt - 3600).setExpirationTime(expiresAt).sign(privateKey)
  }

  /**
   * Returns an event in the documented format for Chat apps (…/chat/api/reference/rest/v1/Event) or for add-ons
   * (…/add-ons/concepts/event-objects).
   */
  function eventOf(message: Json, parameters: Record<string, string>, isAddOn: boolean, name = SPACE): Json {
    const user = { name: 'users/1234', displayName: 'Ada Lovelace', email: 'ada@example.com', type: 'HUMAN' }
    const space = { name, type: 'ROOM', spaceType: 'SPACE' }
    const common = {
      userLocale: 'en', hostApp: 'CHAT', platform: 'WEB', timeZone: { id: 'Europe/Berlin', offset: 3_600_000 },
      invokedFunction: ENDPOINT, parameters,
    }
    if (isAddOn) {
      return { commonEventObject: common, chat: { user, eventTime: new Date().toISOString(), buttonClickedPayload: {
        message, space, isDialogEvent: false, dialogEventType: 'TYPE_UNSPECIFIED',
      } } }
    }
    return { type: 'CARD_CLICKED', eventTime: new Date().toISOString(), message, user, space, common, action: {
      actionMethodName: ENDPOINT, parameters: Object.entries(parameters).map(([key, value]) => ({ key, value })),
    } }
  }

  /** Sends a message of Ada in a new thread; resolves with the thread's name and the answer to the event. */
  async function write(
    serverUrl: string, text: string, { mentions = [APP], more = {}, space: place = SPACE, options = {} }: Written = {},
  ): Promise<{ thread: string, response: Response }> {
    const id = randomUUID().slice(0, 11)
    const thread = `${place}/threads/${id}`
    const annotations = mentions.map(({ name, displayName }, index) => {
      const startIndex = mentions.slice(0, index).reduce(
        (length, { displayName: before }) => length + before.length + 2, 0,
      )
      return { type: 'USER_MENTION', startIndex, length: displayName.length + 1, userMention: {
        type: 'MENTION', user: { name, displayName, type: 'BOT' },
      } }
    })
    const message = {
      name: `${place}/messages/${id}.${id}`, sender: { name: 'users/1234', displayName: 'Ada Lovelace', type: 'HUMAN' },
      createTime: new Date().toISOString(),
      text: [...mentions.map(({ displayName }) => `@${displayName}`), text].join(' '), argumentText: ` ${text}`,
      annotations, thread: { name: thread }, space: { name: place }, ...more,
    }
    const space = { name: place, type: 'ROOM', spaceType: 'SPACE' }
    const event = { type: 'MESSAGE', eventTime: new Date().toISOString(), message, user: message.sender, space }
    return { thread, response: await deliver(serverUrl, event, options) }
  }

  async function deliver(serverUrl: string, event: Json, options: SignOptions): Promise<Response> {
    const token: Record<string, string> = options.authorization === null
      ? {}
      : { authorization: `Bearer ${await tokenOf(options)}` }
    return post(`${serverUrl}/api/webhooks/gchat`, {
      headers: { 'content-type': 'application/json', ...token }, body: JSON.stringify(event),
    })
  }

  const all = () => [...messages.values()]
  return Object.assign(proxy, {
    env: {
      GOOGLE_CHAT_CREDENTIALS: JSON.stringify({
        type: 'service_account', client_email: ACCOUNT, private_key: await exportPKCS8(account.privateKey),
      }),
      GOOGLE_CHAT_PROJECT_NUMBER: PROJECT, GOOGLE_CHAT_SPACE: SPACE, GOOGLE_CHAT_API_URL: proxy.url,
    },
    /** Hosts built into the SDK */
    hosts: { 'oauth2.googleapis.com': proxy.url, 'www.googleapis.com': proxy.url },
    messages: all, joined, write,
    /** Returns the message with the submission's buttons. */
    cardOf: (id: string) => all().find(message => message.cardsV2
      && googleButtons(message).some(({ onClick }) => JSON.stringify(onClick).includes(id))),
    /** Sends a private message to the app. The default user, `users/1234`, is Ada Lovelace, a member of the space. */
    writeInPrivate: async (serverUrl: string, text: string, userId = 'users/1234') => {
      const user = { name: userId, displayName: 'Somebody', email: 'somebody@example.com', type: 'HUMAN' }
      const space = { name: 'spaces/DM1', type: 'DM', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true }
      const id = randomUUID().slice(0, 11)
      const message = {
        name: `${space.name}/messages/${id}.${id}`, sender: user, createTime: new Date().toISOString(), text,
        argumentText: text, thread: { name: `${space.name}/threads/${id}` }, space,
      }
      return post(`${serverUrl}/api/webhooks/gchat`, {
        headers: { 'content-type': 'application/json', 'authorization': `Bearer ${await tokenOf({})}` },
        body: JSON.stringify({ type: 'MESSAGE', eventTime: message.createTime, message, user, space }),
      })
    },
    /** Presses a button as Ada Lovelace. */
    click: async (serverUrl: string, message: Json, label: string, options: SignOptions = {}) => {
      const { onClick } = googleButtons(message).find(({ text }) => text === label)!
      const parameters = Object.fromEntries(
        (onClick.action.parameters as Json[]).map(({ key, value }) => [key, value]),
      ) as Record<string, string>
      return deliver(serverUrl, eventOf(message, parameters, options.as === 'add-on', options.space), options)
    },
  })
}
