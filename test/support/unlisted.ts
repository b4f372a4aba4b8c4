import { adaptiveCardText, type Json } from './adaptive-card'
import { cardOf, click, openEdit, submitEdit, type Deployment } from './deployment'
import { blockText } from './block-kit'
import type { DiscordDouble } from './discord/discord'
import type { SendOptions } from './discord/types'
import { buttonOf } from './discord/edit-form'
import type { GoogleChat } from './gchat'
import { googleCardText } from './google-card'
import { blockActions, interact, type Block } from './slack'
import { whispers } from './slack-talk'
import type { Teams } from './teams'
import type { Telegram } from './telegram'
import { until } from './until'
import type { WhatsApp } from './whatsapp'

/** Ada Lovelace's actions on a platform, and the answers that only she reads */
export interface Tries {
  platform: string
  /** Presses a button. */
  click: (id: string, action: keyof typeof LABELS) => Promise<unknown>
  /** Marks as spam, in a request without the platform's signature. */
  forge: (id: string) => Promise<{ status: number }>
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

const LABELS = { forward: 'Forward Submission', spam: 'Mark as Spam', take: 'Take', hand_back: 'Hand back' }

/** Returns the answer that only she gets to her action. */
export async function answerTo({ heard }: Pick<Tries, 'heard'>, act: () => Promise<unknown>): Promise<string> {
  const before = heard().length
  await act()
  return until('the answer', () => heard().length > before && heard().at(-1)!)
}

export function triesOn(d: Deployment, doubles: Doubles): Tries[] {
  return [onSlack(d), onDiscord(d, doubles), onTeams(d, doubles), ...withoutForms(d, doubles)]
}

function onSlack(d: Deployment): Tries {
  const heard = () => whispers(d.slack).filter(({ user }) => user === d.slack.reviewer.id).map(
    ({ blocks }) => blockText(blocks),
  )
  const pressed = async (id: string, action: string) => click(d, await cardOf(d, id), action, id)
  return {
    platform: 'slack', click: pressed, heard,
    forge: async id => interact(
      d.server.url, blockActions(await cardOf(d, id), 'spam', id, d.slack.reviewer), { secret: 'another' },
    ),
    edit: id => answerTo({ heard }, () => pressed(id, 'edit')),
    replay: async (id, own) => {
      const view = await openEdit(d, await cardOf(d, own), own)
      const forged = { ...view, private_metadata: String(view.private_metadata).replace(own, id) }
      const answer = await submitEdit(d, forged, {})
      return blockText((answer.view as Block).blocks as Block[])
    },
  }
}

function onDiscord({ server }: Deployment, { discord }: Doubles): Tries {
  const card = (id: string) => until(`the card of ${id}`, () => discord.cardOf(id))
  const heard = () => discord.ephemeral().map(({ content }) => (
    content.replace(/\\(.)|[*_~|`]/g, (_, typed?: string) => typed ?? '(markup)')
  ))
  const pressed = async (id: string, action: string, options?: SendOptions) => discord.click(
    `${server.url}/api/webhooks/discord`, await card(id), buttonOf(action, id), options,
  )
  return {
    platform: 'discord', click: pressed, heard,
    forge: id => pressed(id, 'spam', { tamper: body => body.replace('"roles":[]', '"roles":["700000000000000007"]') }),
    edit: id => answerTo({ heard }, () => pressed(id, 'edit')),
    // No replay: the service stores which submission a form belongs to, so only a reviewer can have opened one.
    replay: null,
  }
}

function onTeams({ server }: Deployment, { teams }: Doubles): Tries {
  const card = (id: string) => until(`the card of ${id}`, () => teams.cardOf(id))
  const open = async (id: string) => (
    await (await teams.click(server.url, await card(id), 'Edit & Forward')).json() as Json
  ).task as Json
  return {
    platform: 'teams',
    click: async (id, action) => teams.click(server.url, await card(id), LABELS[action]),
    forge: async id => teams.click(server.url, await card(id), LABELS.spam, { forged: true }),
    heard: () => teams.whispers.filter(({ to }) => to === '29:ada').map(({ text }) => text),
    edit: async id => String((await open(id)).value),
    replay: async (id, own) => {
      const dialog = (await open(own)).value.card.content as Json
      const { modal } = dialog.actions[0].data.dialog as { modal: { privateMetadata: string } }
      modal.privateMetadata = modal.privateMetadata.replace(own, id)
      const answer = await (await teams.submit(server.url, dialog, {})).json() as Json
      return adaptiveCardText(answer.task.value.card.content as Json)
    },
  }
}

function withoutForms({ server: { url } }: Deployment, { telegram, google, whatsapp }: Doubles): Tries[] {
  const none = { edit: null, replay: null }
  const cardOn = <Card>(double: { cardOf: (id: string) => Card | undefined }, id: string) => (
    until(`the card of ${id}`, () => double.cardOf(id))
  )
  return [
    {
      ...none, platform: 'telegram',
      click: async (id, action) => telegram.click(url, await cardOn(telegram, id), LABELS[action]),
      forge: async id => telegram.click(url, await cardOn(telegram, id), LABELS.spam, null),
      heard: () => telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery')).map(
        ({ body }) => JSON.parse(body) as Json,
      ).filter(({ show_alert: isAlert }) => isAlert).map(({ text }) => String(text)),
    },
    {
      ...none, platform: 'gchat',
      click: async (id, action) => google.click(url, await cardOn(google, id), LABELS[action]),
      forge: async id => google.click(url, await cardOn(google, id), LABELS.spam, { forged: true }),
      heard: () => google.messages().filter(({ privateMessageViewer: to }) => to?.name === 'users/1234').map(
        message => googleCardText(message).text.trim(),
      ),
    },
    {
      ...none, platform: 'whatsapp',
      click: async (id, action) => {
        const card = await cardOn(whatsapp, id)
        return whatsapp.click(url, card, card.buttons.find(button => button.id.includes(action))!.title)
      },
      forge: async id => whatsapp.click(url, await cardOn(whatsapp, id), LABELS.spam, { secret: null }),
      heard: () => whatsapp.messages().filter(({ buttons }) => buttons.length === 0).map(
        ({ text }) => text.replaceAll('\u200A', ''),
      ),
    },
  ]
}
