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
import { blockActions, inChannel, interact, type Block } from './slack'
import { whispers } from './slack-talk'
import type { Teams } from './teams'
import type { Telegram } from './telegram'
import { until } from './until'
import type { WhatsApp } from './whatsapp'

const LABELS = {
  forward: 'Forward Submission', spam: 'Mark as Spam', edit: 'Edit & Forward', take: 'Take', hand_back: 'Hand back',
}

export type Action = keyof typeof LABELS

interface Press {
  /** Server that gets the request; the deployment's by default */
  url?: string
  /** Presses a copy of the button in another chat. */
  isElsewhere?: boolean
  /** Changes to the signature, in the terms of the platform's double */
  sign?: object
}

/** A card on somebody's screen, which may be outdated */
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
  /** Opens the form of another submission and sends it as this one's; null if there are no forms. */
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
const visible = (text: string) => text.replace(/[\u2060\u200A\u200B]/g, '')

function onSlack(d: Deployment): Tries {
  async function hold(id: string): Promise<Held> {
    const card = await cardOf(d, id)
    return {
      now: async () => {
        const { blocks } = await cardNow(d, card)
        return { text: visible(blockText(blocks)), buttons: blocks.filter(({ type }) => type === 'actions').length }
      },
      press: async (action, { url = d.server.url, isElsewhere, sign } = {}) => {
        const payload = blockActions(
          card, action, id, d.slack.reviewer, action === 'edit' ? await d.slack.trigger() : undefined,
        )
        return answered(interact(url, isElsewhere ? inChannel(payload, d.slack.dmChannel) : payload, sign))
      },
    }
  }
  const heard = () => whispers(d.slack).filter(({ user }) => user === d.slack.reviewer.id).map(
    ({ blocks }) => blockText(blocks),
  )
  const pressed = async (id: string, action: string) => click(d, await cardOf(d, id), action, id)
  return {
    platform: 'slack', double: d.slack, hold, click: pressed, heard,
    edit: id => answerTo({ heard }, () => pressed(id, 'edit')),
    replay: async (id, own) => {
      const view = await openEdit(d, await cardOf(d, own), own)
      const forged = { ...view, private_metadata: String(view.private_metadata).replace(own, id) }
      const answer = await submitEdit(d, forged, {})
      return blockText((answer.view as Block).blocks as Block[])
    },
  }
}

function onDiscord(d: Deployment, { discord }: Doubles): Tries {
  async function hold(id: string): Promise<Held> {
    const card = await until(`the card of ${id}`, () => discord.cardOf(id))
    const copied = async () => (await rest(discord, 'POST', `/channels/${discord.openDm().id}/messages`, {
      content: 'A copy', components: card.components,
    })).body as DiscordMessage
    return {
      now: async () => {
        const message = discord.messages().find(each => each.id === card.id)!
        return { text: visible(discordText(message)), buttons: message.components.length }
      },
      press: async (action, { url = `${d.server.url}/api/webhooks/discord`, isElsewhere, sign } = {}) => {
        const { status, body } = await discord.click(
          url, isElsewhere ? await copied() : card, buttonOf(action, id), sign,
        )
        return { status, text: JSON.stringify(body) }
      },
    }
  }
  const card = (id: string) => until(`the card of ${id}`, () => discord.cardOf(id))
  const heard = () => discord.ephemeral().map(({ content }) => (
    content.replace(/\\(.)|[*_~|`]/g, (_, typed?: string) => typed ?? '(markup)')
  ))
  const pressed = async (id: string, action: string) => discord.click(
    `${d.server.url}/api/webhooks/discord`, await card(id), buttonOf(action, id),
  )
  return {
    platform: 'discord', double: discord, hold, click: pressed, heard,
    edit: id => answerTo({ heard }, () => pressed(id, 'edit')),
    // No replay: the service stores which submission a form belongs to, so only a reviewer can have opened one.
    replay: null,
  }
}

function onTeams(d: Deployment, { teams }: Doubles): Tries {
  async function hold(id: string): Promise<Held> {
    const card = await until(`the card of ${id}`, () => teams.cardOf(id))
    return {
      now: async () => {
        const message = teams.messages().find(each => each.id === card.id)!
        return { text: visible(adaptiveCardText(message.card)), buttons: adaptiveCardActions(message.card).length }
      },
      press: (action, { url = d.server.url, isElsewhere, sign } = {}) => {
        if (isElsewhere) teams.joined.add('a:29:ada')
        const where = isElsewhere ? { conversation: 'a:29:ada' } : {}
        return answered(teams.click(url, card, LABELS[action], { ...sign, ...where }))
      },
    }
  }
  const card = (id: string) => until(`the card of ${id}`, () => teams.cardOf(id))
  const open = async (id: string) => (
    await (await teams.click(d.server.url, await card(id), 'Edit & Forward')).json() as Json
  ).task as Json
  return {
    platform: 'teams', double: teams, hold,
    click: async (id, action) => teams.click(d.server.url, await card(id), LABELS[action]),
    heard: () => teams.whispers.filter(({ to }) => to === '29:ada').map(({ text }) => text),
    edit: async id => String((await open(id)).value),
    replay: async (id, own) => {
      const dialog = (await open(own)).value.card.content as Json
      const { modal } = dialog.actions[0].data.dialog as { modal: { privateMetadata: string } }
      modal.privateMetadata = modal.privateMetadata.replace(own, id)
      const answer = await (await teams.submit(d.server.url, dialog, {})).json() as Json
      return adaptiveCardText(answer.task.value.card.content as Json)
    },
  }
}

function withoutForms(d: Deployment, { telegram, google, whatsapp }: Doubles): Tries[] {
  const none = { edit: null, replay: null }
  const cardOn = <Card>(double: { cardOf: (id: string) => Card | undefined }, id: string) => (
    until(`the card of ${id}`, () => double.cardOf(id))
  )
  return [
    {
      ...none, platform: 'telegram', double: telegram,
      hold: async (id) => {
        const card = await cardOn(telegram, id)
        return {
          now: async () => {
            const { text, keyboard } = telegram.messages().find(message => message.id === card.id)!
            return { text: visible(text), buttons: keyboard.length }
          },
          press: (action, { url = d.server.url, isElsewhere, sign } = {}) => {
            const { callback_data: data } = card.keyboard.flat().find(({ text }) => text === LABELS[action])!
            const { secret } = sign as { secret?: string | null } ?? {}
            return answered(isElsewhere
              ? telegram.clickInPrivate(url, data)
              : telegram.click(url, card, LABELS[action], secret))
          },
        }
      },
      click: async (id, action) => telegram.click(d.server.url, await cardOn(telegram, id), LABELS[action]),
      heard: () => telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery')).map(
        ({ body }) => JSON.parse(body) as Json,
      ).filter(({ show_alert: isAlert }) => isAlert).map(({ text }) => String(text)),
    },
    {
      ...none, platform: 'gchat', double: google,
      hold: async (id) => {
        const card = { ...await cardOn(google, id) }
        return {
          now: async () => {
            const message = google.messages().find(({ name }) => name === card.name)!
            return { text: visible(googleCardText(message).text), buttons: googleButtons(message).length }
          },
          press: (action, { url = d.server.url, isElsewhere, sign } = {}) => {
            if (isElsewhere) google.joined.add('spaces/AAAAother')
            const where = isElsewhere ? { space: 'spaces/AAAAother' } : {}
            return answered(google.click(url, card, LABELS[action], { ...sign, ...where }))
          },
        }
      },
      click: async (id, action) => google.click(d.server.url, await cardOn(google, id), LABELS[action]),
      heard: () => google.messages().filter(({ privateMessageViewer: to }) => to?.name === 'users/1234').map(
        message => googleCardText(message).text.trim(),
      ),
    },
    {
      ...none, platform: 'whatsapp', double: whatsapp,
      hold: async (id) => {
        const card = await cardOn(whatsapp, id)
        return {
          // A card there stays as it is: what became of it stands in answers to it.
          now: async () => {
            const answers = whatsapp.repliesTo(card).map(({ text }) => text)
            return { text: visible(answers.at(-1) ?? card.text), buttons: answers.length > 0 ? 0 : card.buttons.length }
          },
          press: (action, { url = d.server.url, isElsewhere, sign } = {}) => {
            const { title } = card.buttons.find(button => button.id.includes(action))!
            const from = isElsewhere ? { from: '4366012345678' } : {}
            return answered(whatsapp.click(url, card, title, { ...sign, ...from }))
          },
        }
      },
      click: async (id, action) => {
        const card = await cardOn(whatsapp, id)
        return whatsapp.click(d.server.url, card, card.buttons.find(button => button.id.includes(action))!.title)
      },
      heard: () => whatsapp.messages().filter(({ buttons }) => buttons.length === 0).map(
        ({ text }) => text.replaceAll('\u200A', ''),
      ),
    },
  ]
}
