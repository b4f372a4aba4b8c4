import { Buffer } from 'node:buffer'
import type { Json } from './adaptive-card'
import { startProxy, type Recorded } from './proxy'
import { answer, refuse } from './telegram-answers'
import { readMarkdownV2, type TelegramText } from './telegram-markdown'
import { createUpdates } from './telegram-updates'
import { post } from './webhook'

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const SECRET = 'telegram-webhook-secret'
const CHAT_ID = -1001234567890

const NOT_MODIFIED = 'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'

export interface TelegramMessage extends TelegramText {
  id: number
  /** Set in a group with topics, except in the general one */
  topic?: number
  replyTo?: number
  keyboard: { text: string, callback_data: string }[][]
}

export type Telegram = Awaited<ReturnType<typeof startTelegram>>

/**
 * Starts a double of the Bot API with all that a bot in one group needs.
 *
 * @param topics topics of the group; without any, only replies have a thread id, and no message can be sent to one
 */
export async function startTelegram(topics: readonly number[] = []) {
  const messages = new Map<number, TelegramMessage>()
  const updates = createUpdates()
  let updateId = 900_000_000
  /** Id of the newest message of the chat, from any sender */
  let newest = 0

  const proxy = await startProxy(({ path, body }: Recorded) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
    if (token !== TOKEN) return refuse(401, 'Unauthorized')
    const params = JSON.parse(body || '{}') as Json
    switch (method) {
      case 'getMe': return answer({ id: 110201543, is_bot: true, first_name: 'Form bot', username: 'form_bot' })
      case 'getChat': return answer({ id: params.chat_id, type: 'private', first_name: 'Ada', last_name: 'Lovelace' })
      case 'getChatMember': return params.user_id === 4321
        ? answer({ status: 'member', user: { id: 4321 } })
        : refuse(400, 'Bad Request: user not found')
      case 'answerCallbackQuery': case 'setMyCommands': return answer(true)
      case 'sendMessage': return write(++newest, params)
      case 'editMessageText': return messages.has(params.message_id)
        ? write(params.message_id, params)
        : refuse(400, 'Bad Request: message to edit not found')
      default: return updates.handle(method, params) ?? refuse(404, 'Not Found')
    }
  })

  function write(id: number, params: Json): Response {
    if (String(params.chat_id) !== String(CHAT_ID)) return refuse(400, 'Bad Request: chat not found')
    const topic = messages.get(id)?.topic ?? params.message_thread_id as number | undefined
    if (topic !== undefined && !topics.includes(topic)) return refuse(400, 'Bad Request: message thread not found')
    const keyboard = (params.reply_markup?.inline_keyboard ?? []) as TelegramMessage['keyboard']
    if (keyboard.flat().some(({ callback_data: data }) => (
      Buffer.byteLength(data) < 1 || Buffer.byteLength(data) > 64
    ))) return refuse(400, 'Bad Request: BUTTON_DATA_INVALID')
    let read: TelegramText
    try {
      read = params.parse_mode === 'MarkdownV2' ? readMarkdownV2(params.text) : { text: params.text, inCode: [] }
    }
    catch (error) {
      return refuse(400, (error as Error).message)
    }
    if (read.text.length < 1 || read.text.length > 4096) return refuse(400, 'Bad Request: message is too long')
    const known = messages.get(id)
    if (known && known.text === read.text && JSON.stringify(known.keyboard) === JSON.stringify(keyboard)) {
      return refuse(400, NOT_MODIFIED)
    }
    messages.set(id, { id, ...read, keyboard, topic, replyTo: params.reply_parameters?.message_id })
    return answer(messageOf(messages.get(id)!))
  }

  const from = {
    id: 4321, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada', language_code: 'en',
  }

  /** Posts an update to the webhook, or keeps it until it is fetched. */
  async function send(serverUrl: string | null, update: Json, secret: string | null = SECRET): Promise<Response> {
    const numbered = { update_id: updateId++, ...update }
    if (serverUrl === null) {
      updates.add(numbered)
      return new Response('Kept')
    }
    return post(`${serverUrl}/api/webhooks/telegram`, {
      headers: {
        'content-type': 'application/json',
        ...secret === null ? {} as Record<string, string> : { 'x-telegram-bot-api-secret-token': secret },
      },
      body: JSON.stringify(numbered),
    })
  }

  /** Sends a click in the format of https://core.telegram.org/bots/api#callbackquery */
  function press(serverUrl: string | null, message: Json, data: string, secret: string | null): Promise<Response> {
    const query = { id: String(updateId), from, chat_instance: '-42', message, data }
    return send(serverUrl, { callback_query: query }, secret)
  }

  /** Sends a user's message in the format of https://core.telegram.org/bots/api#message */
  function said(
    serverUrl: string | null, text: string, chat: Json, userId: number, replyTo?: TelegramMessage, topic?: number,
  ): Promise<Response> {
    const [command] = /^\/[\w@]+/.exec(text) ?? []
    return send(serverUrl, { message: {
      message_id: ++newest, date: Math.floor(Date.now() / 1000), chat, from: { ...from, id: userId }, text,
      ...command ? { entities: [{ type: 'bot_command', offset: 0, length: command.length }] } : {},
      ...replyTo ? { reply_to_message: messageOf(replyTo) } : {}, ...threadOf({ topic, replyTo: replyTo?.id }),
    } })
  }

  const all = () => [...messages.values()]
  return Object.assign(proxy, {
    env: {
      TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_WEBHOOK_SECRET_TOKEN: SECRET, TELEGRAM_CHAT_ID: String(CHAT_ID),
      TELEGRAM_API_BASE_URL: proxy.url,
    },
    updates,
    messages: all,
    /** Returns the message with the submission's buttons. */
    cardOf: (id: string) => (
      all().find(({ keyboard }) => keyboard.flat().some(button => button.callback_data.includes(id)))
    ),
    /**
     * Presses a button as Ada Lovelace. `secret` is null for none. Here and below, a `serverUrl` of null keeps the
     * update until it is fetched.
     */
    click: (serverUrl: string | null, message: TelegramMessage, label: string, secret: string | null = SECRET) => {
      const { callback_data: data } = message.keyboard.flat().find(({ text }) => text === label)!
      return press(serverUrl, messageOf(message), data, secret)
    },
    /** Sends a private message to the bot. The default user, 4321, is Ada Lovelace, a member of the group. */
    writeInPrivate: (serverUrl: string | null, text: string, userId = from.id) => said(
      serverUrl, text, { id: userId, type: 'private', first_name: 'Somebody' }, userId,
    ),
    /** Sends a user's message in the group; a text that begins with a slash is a command. Ada Lovelace is 4321. */
    writeInGroup: (
      serverUrl: string | null, text: string, userId = from.id, replyTo?: TelegramMessage, topic?: number,
    ) => said(serverUrl, text, { id: CHAT_ID, type: 'supergroup', title: 'Triage' }, userId, replyTo, topic),
    /** Presses a button with this data below a message in Ada's private chat with the bot. */
    clickInPrivate: (serverUrl: string | null, data: string) => {
      const chat = { id: from.id, type: 'private', first_name: from.first_name, last_name: from.last_name }
      return press(serverUrl, { message_id: 7, date: Math.floor(Date.now() / 1000), chat, from: {
        id: 110201543, is_bot: true, first_name: 'Form bot', username: 'form_bot',
      }, text: 'Hello' }, data, SECRET)
    },
  })
}

function messageOf({ id, text, keyboard, ...where }: TelegramMessage): Json {
  return {
    ...threadOf(where),
    ...keyboard.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {},
    message_id: id, date: Math.floor(Date.now() / 1000), chat: { id: CHAT_ID, type: 'supergroup', title: 'Triage' },
    from: { id: 110201543, is_bot: true, first_name: 'Form bot', username: 'form_bot' }, text,
  }
}

/** Returns the thread fields. A reply outside of topics has the thread id of its target, and belongs to no topic. */
function threadOf({ topic, replyTo }: Pick<TelegramMessage, 'topic' | 'replyTo'>): Json {
  if (topic !== undefined) return { message_thread_id: topic, is_topic_message: true }
  return replyTo === undefined ? {} : { message_thread_id: replyTo }
}
