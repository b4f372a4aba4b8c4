import { adaptiveCardActions, adaptiveCardText } from './adaptive-card'
import { blockText } from './block-kit'
import type { Deployment } from './deployment'
import { componentsOf, discordText } from './discord/edit-form'
import type { DiscordMessage } from './discord/types'
import { googleButtons, googleCardText } from './google-card'
import type { Fault, Proxy, Recorded } from './proxy'
import { blockActions, interact, type Block, type SlackMessage } from './slack'
import { mention, say } from './slack-talk'
import type { Doubles } from './unlisted'
import { until } from './until'

/** Ada Lovelace's conversation with the bot on a platform */
export interface Talk {
  platform: string
  double: Proxy
  /** Mentions the bot in the room of the cards; resolves with the place of the new conversation. */
  mention: (words: string) => Promise<string>
  /** Continues a conversation without a mention; null if the bot follows no conversations on this platform. */
  say: ((place: string, words: string) => Promise<unknown>) | null
  /** Writes to the bot in private, as a person outside the room if `isStranger`. */
  inPrivate: (words: string, isStranger?: boolean) => Promise<unknown>
  /** Returns the bot's texts at a place, oldest first. */
  texts: (place: string) => Promise<string[]>
  /** Returns the labels of the last buttons at a place. */
  buttons: (place: string) => Promise<string[]>
  /** Presses the last button of this label at a place. */
  press: (place: string, label: string) => Promise<unknown>
  /** The platform's answer to too many messages */
  limited: Fault
}

/** Message as people read it */
interface Said<Message> { text: string, buttons: string[], message: Message }

type Ways<Message> = Pick<Talk, 'double' | 'mention' | 'say' | 'inPrivate' | 'limited'> & {
  said: (place: string) => Promise<Said<Message>[]> | Said<Message>[]
  click: (message: Message, label: string) => Promise<unknown>
}

function talk<Message>(platform: string, { said, click, ...ways }: Ways<Message>): Talk {
  return {
    platform, ...ways,
    texts: async place => (await said(place)).map(({ text }) => text),
    buttons: async place => (await said(place)).findLast(({ buttons }) => buttons.length > 0)?.buttons ?? [],
    press: async (place, label) => {
      const isPressed = ({ buttons }: Said<Message>) => buttons.includes(label)
      const { message } = await until(`the button ${label}`, async () => (await said(place)).findLast(isPressed))
      return click(message, label)
    },
  }
}

/** Returns whether a request posts a message, and does not edit one. */
export const isPost = ({ method, path }: Recorded): boolean => method === 'POST' && (
  /\/(?:chat\.postMessage|messages|activities|sendMessage)(?:\?|$)/.test(path) && !/oauth|webhooks/.test(path)
)

export function talksOn(d: Deployment, doubles: Doubles): Talk[] {
  return [onSlack(d), onDiscord(d, doubles), ...onOthers(d, doubles)]
}

function onSlack(d: Deployment): Talk {
  const { slack } = d
  const write = async (words: string, thread?: string) => ({ ts: await slack.write(slack.reviewer, words, thread) })
  const elementsOf = ({ blocks = [] }: Partial<SlackMessage>) => (
    blocks.flatMap(({ type, elements }) => type === 'actions' ? elements as Block[] : [])
  )
  return talk<SlackMessage>('slack', {
    double: slack,
    mention: async words => mention(d.server.url, slack, words, await write(`<@${slack.botId}> ${words}`)),
    say: async (thread, words) => say(d.server.url, slack, words, { thread, ...await write(words, thread) }),
    inPrivate: async (words, isStranger = false) => {
      const user = isStranger ? slack.botId.replace(/.$/, 'Z') : slack.reviewer.id
      await say(d.server.url, slack, words, { channel: slack.dmChannel, user })
    },
    said: async thread => (await slack.thread(thread)).filter(({ user }) => user === slack.botId).map(message => ({
      message, text: message.blocks ? blockText(message.blocks) : message.text,
      buttons: elementsOf(message).map(({ text }) => String(text.text)),
    })),
    click: (message, label) => {
      const { action_id: action, value } = elementsOf(message).find(({ text }) => text.text === label)!
      return interact(d.server.url, blockActions(message, action as string, value as string, slack.reviewer))
    },
    limited: { status: 429, headers: { 'retry-after': '1' } },
  })
}

function onDiscord(d: Deployment, { discord }: Doubles): Talk {
  return talk<DiscordMessage>('discord', {
    double: discord,
    mention: async (words) => {
      await until('the listener', () => discord.gateway.live() === 1)
      return discord.emitMessage({ content: `<@${discord.applicationId}> ${words}` }).id
    },
    say: async (channelId, content) => discord.emitMessage({ channelId, content }),
    inPrivate: async content => discord.emitMessage({ channelId: discord.openDm().id, content }),
    said: channelId => discord.messages(channelId).filter(({ author }) => author.id === discord.applicationId).map(
      message => ({
        message, text: discordText(message), buttons: componentsOf(message).map(({ label }) => String(label)),
      }),
    ),
    click: (message, label) => discord.click(
      `${d.server.url}/api/webhooks/discord`, message,
      String(componentsOf(message).find(each => each.label === label)!.custom_id),
    ),
    limited: { status: 429, body: '{"retry_after":1,"global":false,"message":"You are being rate limited."}' },
  })
}

function onOthers(d: Deployment, { teams, telegram, google, whatsapp }: Doubles): Talk[] {
  const url = () => d.server.url
  const inTelegram = () => telegram.messages().map(message => ({
    message, text: message.text, buttons: message.keyboard.flat().map(({ text }) => text),
  }))
  const onWhatsApp = () => whatsapp.messages().map(message => ({
    message, text: message.text.replaceAll('\u200A', ''), buttons: message.buttons.map(({ title }) => title),
  }))
  const inGroup = async (words: string) => {
    const place = String(telegram.messages().length)
    await telegram.writeInGroup(url(), `@form_bot ${words}`)
    return place
  }
  const write = async (words: string, isStranger = false) => {
    const place = String(whatsapp.messages().length)
    await whatsapp.write(url(), words, isStranger ? '4366012345678' : undefined)
    return place
  }
  return [
    talk('teams', {
      double: teams,
      mention: async words => (await teams.write(url(), words, 'channel')).conversation,
      say: null,
      inPrivate: (words, isStranger = false) => {
        const userId = isStranger ? '29:mallory' : '29:ada'
        teams.joined.add(`a:${userId}`)
        return teams.writeInPrivate(url(), words, userId)
      },
      said: place => [
        ...teams.messages().filter(({ conversation }) => conversation === place).map(message => ({
          message, text: adaptiveCardText(message.card).replaceAll('\u2060', ''),
          buttons: adaptiveCardActions(message.card).map(({ title }) => String(title)),
        })),
        ...teams.texts().filter(({ conversation }) => conversation === place).map(({ id, versions }) => ({
          message: { id, conversation: place, card: {} }, text: versions.at(-1)!, buttons: [],
        })),
      ].sort((a, b) => Number(a.message.id) - Number(b.message.id)),
      click: (message, label) => teams.click(url(), message, label),
      limited: { status: 429 },
    }),
    talk('telegram', {
      double: telegram, mention: inGroup, say: null,
      inPrivate: (words, isStranger = false) => telegram.writeInPrivate(url(), words, isStranger ? 666 : undefined),
      said: place => inTelegram().slice(Number(place)),
      click: (message, label) => telegram.click(url(), message, label),
      limited: { status: 429, body: JSON.stringify({
        ok: false, error_code: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 },
      }) },
    }),
    talk('gchat', {
      double: google,
      mention: async words => (await google.write(url(), words)).thread,
      say: null,
      inPrivate: (words, isStranger = false) => {
        google.joined.add('spaces/DM1')
        return google.writeInPrivate(url(), words, isStranger ? 'users/666' : undefined)
      },
      said: place => google.messages().filter(({ thread }) => thread.name === place).map(message => ({
        message, text: message.text ? String(message.text) : googleCardText(message).text,
        buttons: message.cardsV2 ? googleButtons(message).map(({ text }) => String(text)) : [],
      })),
      click: (message, label) => google.click(url(), message, label),
      limited: { status: 429, body: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}' },
    }),
    talk('whatsapp', {
      double: whatsapp, mention: write, say: null, inPrivate: write,
      said: place => onWhatsApp().slice(Number(place)),
      click: (message, label) => whatsapp.click(url(), message, label),
      limited: { status: 429, body: '{"error":{"message":"(#130429) No.","type":"OAuthException","code":130429}}' },
    }),
  ]
}
