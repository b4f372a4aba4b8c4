import { adaptiveCardActions, adaptiveCardText, type Json } from './adaptive-card'
import { cardNow, cardOf, click, openEdit, submitEdit, type Deployment } from './deployment'
import { blockText } from './block-kit'
import type { DiscordDouble } from './discord/discord'
import { buttonOf, discordText } from './discord/edit-form'
import { rest } from './discord/fixtures'
import type { DiscordMessage } from './discord/types'
import type { GoogleChat } from './gchat'
import { googleButtons, googleCardText } from './google-card'
import type { Proxy } from './proxy'
import { blockActions, inChannel, interact, type Block, type SlackMessage } from './slack'
import { whispers } from './slack-talk'
import type { Teams, TeamsMessage } from './teams'
import type { Telegram, TelegramMessage } from './telegram'
import { until } from './until'
import type { WhatsApp, WhatsAppMessage } from './whatsapp'

const LABELS = {
  forward: 'Forward Submission', spam: 'Mark as Spam', edit: 'Edit & Forward', take: 'Take', hand_back: 'Hand back',
}

export type Action = keyof typeof LABELS

interface Press {
  /** Server that gets the request; the deployment's by default */
  url?: string
  /** Presses a copy of the button in another chat. */
  isElsewhere?: boolean
  /** Changes to the signature, as options of the platform's double */
  sign?: object
}

/** Card on somebody's screen, possibly outdated */
export interface Held {
  /** Returns its current text, without invisible characters, and its number of buttons or rows of them. */
  now: () => Promise<{ text: string, buttons: number }>
  press: (action: Action, press?: Press) => Promise<{ status: number, text: string }>
}

/** Ada Lovelace's actions on a platform, and the answers that only she reads */
export interface Tries {
  platform: string
  double: Proxy
  /** Waits for the card of a submission. */
  hold: (id: string) => Promise<Held>
  /** Presses a button. */
  click: (id: string, action: Action) => Promise<unknown>
  /** Returns the messages to her alone so far. */
  heard: () => readonly string[]
  /** Asks for the edit form; null if the platform has none. */
  edit: ((id: string) => Promise<string>) | null
  /** Opens the form of submission `own` and sends it as the form of `id`; null if the platform has no forms. */
  replay: ((id: string, own: string) => Promise<string>) | null
}

export interface Doubles {
  discord: DiscordDouble
  telegram: Telegram
  teams: Teams
  google: GoogleChat
  whatsapp: WhatsApp
}

/** Returns the answer that only she gets to her action. */
export async function answerTo({ heard }: Pick<Tries, 'heard'>, act: () => Promise<unknown>): Promise<string> {
  const before = heard().length
  await act()
  return until('the answer', () => heard().length > before && heard().at(-1)!)
}

export function triesOn(d: Deployment, doubles: Doubles): Tries[] {
  return [onSlack(d), onDiscord(d, doubles), onTeams(d, doubles), ...withoutForms(d, doubles)]
}

const answered = async (response: Promise<Response>) => {
  const { status, text } = await response.then(async answer => ({ status: answer.status, text: await answer.text() }))
  return { status, text }
}

type Shown = Awaited<ReturnType<Held['now']>>

interface Ways<Card> extends Pick<Tries, 'platform' | 'double' | 'heard'>, Partial<Pick<Tries, 'edit' | 'replay'>> {
  find: (id: string) => Card | undefined | Promise<Card | undefined>
  shown: (card: Card) => Shown | Promise<Shown>
  press: (card: Card, action: Action, press: Press & { id: string }) => ReturnType<Held['press']>
}

function tries<Card>({ find, shown, press, ...ways }: Ways<Card>): Tries {
  const hold = async (id: string): Promise<Held> => {
    const card = await until(`the card of ${id}`, () => find(id)) as Card
    return {
      now: async () => {
        const { text, buttons } = await shown(card)
        return { text: text.replace(/[\u2060\u200A\u200B]/g, ''), buttons }
      },
      press: (action, how = {}) => press(card, action, { id, ...how }),
    }
  }
  return { edit: null, replay: null, ...ways, hold, click: async (id, action) => (await hold(id)).press(action) }
}

function onSlack(d: Deployment): Tries {
  const { slack } = d
  const heard = () => whispers(slack).filter(({ user }) => user === slack.reviewer.id).map(
    ({ blocks }) => blockText(blocks),
  )
  const pressed = async (id: string, action: string) => click(d, await cardOf(d, id), action, id)
  const ways = tries<SlackMessage>({
    platform: 'slack', double: slack, heard,
    find: id => cardOf(d, id),
    shown: async (card) => {
      const { blocks } = await cardNow(d, card)
      return { text: blockText(blocks), buttons: blocks.filter(({ type }) => type === 'actions').length }
    },
    press: async (card, action, { id, url = d.server.url, isElsewhere, sign }) => {
      const payload = blockActions(
        card, action, id, slack.reviewer, action === 'edit' ? await slack.trigger() : undefined,
      )
      return answered(interact(url, isElsewhere ? inChannel(payload, slack.dmChannel) : payload, sign))
    },
    edit: id => answerTo({ heard }, () => pressed(id, 'edit')),
    replay: async (id, own) => {
      const view = await openEdit(d, await cardOf(d, own), own)
      const forged = { ...view, private_metadata: String(view.private_metadata).replace(own, id) }
      const answer = await submitEdit(d, forged, {})
      return blockText((answer.view as Block).blocks as Block[])
    },
  })
  return { ...ways, click: pressed }
}

function onDiscord(d: Deployment, { discord }: Doubles): Tries {
  const url = () => `${d.server.url}/api/webhooks/discord`
  const heard = () => discord.ephemeral().map(({ content }) => (
    content.replace(/\\(.)|[*_~|`]/g, (_, typed?: string) => typed ?? '(markup)')
  ))
  const copyOf = async ({ components }: DiscordMessage) => (await rest(
    discord, 'POST', `/channels/${discord.openDm().id}/messages`, { content: 'A copy', components },
  )).body as DiscordMessage
  return tries<DiscordMessage>({
    platform: 'discord', double: discord, heard,
    find: discord.cardOf,
    shown: ({ id }) => {
      const message = discord.messages().find(each => each.id === id)!
      return { text: discordText(message), buttons: message.components.length }
    },
    press: async (card, action, { id, url: to = url(), isElsewhere, sign }) => {
      const { status, body } = await discord.click(
        to, isElsewhere ? await copyOf(card) : card, buttonOf(action, id), sign,
      )
      return { status, text: JSON.stringify(body) }
    },
    // No replay: the service stores which submission a form belongs to, so only a reviewer can have opened one.
    edit: id => answerTo({ heard }, () => discord.click(url(), discord.cardOf(id)!, buttonOf('edit', id))),
  })
}

function onTeams(d: Deployment, { teams }: Doubles): Tries {
  const open = async (id: string) => (
    await (await teams.click(d.server.url, teams.cardOf(id)!, LABELS.edit)).json() as Json
  ).task as Json
  return tries<TeamsMessage>({
    platform: 'teams', double: teams,
    find: teams.cardOf,
    shown: ({ id }) => {
      const { card } = teams.messages().find(each => each.id === id)!
      return { text: adaptiveCardText(card), buttons: adaptiveCardActions(card).length }
    },
    press: (card, action, { url = d.server.url, isElsewhere, sign }) => {
      if (isElsewhere) teams.joined.add('a:29:ada')
      const where = isElsewhere ? { conversation: 'a:29:ada' } : {}
      return answered(teams.click(url, card, LABELS[action], { ...sign, ...where }))
    },
    heard: () => teams.whispers.filter(({ to }) => to === '29:ada').map(({ text }) => text),
    edit: async id => String((await open(id)).value),
    replay: async (id, own) => {
      const dialog = (await open(own)).value.card.content as Json
      const { modal } = dialog.actions[0].data.dialog as { modal: { privateMetadata: string } }
      modal.privateMetadata = modal.privateMetadata.replace(own, id)
      const answer = await (await teams.submit(d.server.url, dialog, {})).json() as Json
      return adaptiveCardText(answer.task.value.card.content as Json)
    },
  })
}

function withoutForms(d: Deployment, { telegram, google, whatsapp }: Doubles): Tries[] {
  return [
    tries<TelegramMessage>({
      platform: 'telegram', double: telegram,
      find: telegram.cardOf,
      shown: ({ id }) => {
        const { text, keyboard } = telegram.messages().find(message => message.id === id)!
        return { text, buttons: keyboard.length }
      },
      press: (card, action, { url = d.server.url, isElsewhere, sign = {} }) => {
        const { callback_data: data } = card.keyboard.flat().find(({ text }) => text === LABELS[action])!
        const { secret } = sign as { secret?: string | null }
        return answered(
          isElsewhere ? telegram.clickInPrivate(url, data) : telegram.click(url, card, LABELS[action], secret),
        )
      },
      heard: () => telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery')).map(
        ({ body }) => JSON.parse(body) as Json,
      ).filter(({ show_alert: isAlert }) => isAlert).map(({ text }) => String(text)),
    }),
    tries<Json>({
      platform: 'gchat', double: google,
      find: id => google.cardOf(id) && { ...google.cardOf(id) },
      shown: (card) => {
        const message = google.messages().find(({ name }) => name === card.name)!
        return { text: googleCardText(message).text, buttons: googleButtons(message).length }
      },
      press: (card, action, { url = d.server.url, isElsewhere, sign }) => {
        if (isElsewhere) google.joined.add('spaces/AAAAother')
        const where = isElsewhere ? { space: 'spaces/AAAAother' } : {}
        return answered(google.click(url, card, LABELS[action], { ...sign, ...where }))
      },
      heard: () => google.messages().filter(({ privateMessageViewer: to }) => to?.name === 'users/1234').map(
        message => googleCardText(message).text.trim(),
      ),
    }),
    tries<WhatsAppMessage>({
      platform: 'whatsapp', double: whatsapp,
      find: whatsapp.cardOf,
      // WhatsApp cards cannot be edited: the result is in replies to the card.
      shown: (card) => {
        const answers = whatsapp.repliesTo(card).map(({ text }) => text)
        return { text: answers.at(-1) ?? card.text, buttons: answers.length > 0 ? 0 : card.buttons.length }
      },
      press: (card, action, { url = d.server.url, isElsewhere, sign }) => {
        const { title } = card.buttons.find(button => button.id.includes(action))!
        const from = isElsewhere ? { from: '4366012345678' } : {}
        return answered(whatsapp.click(url, card, title, { ...sign, ...from }))
      },
      heard: () => whatsapp.messages().filter(({ buttons }) => buttons.length === 0).map(
        ({ text }) => text.replaceAll('\u200A', ''),
      ),
    }),
  ]
}
