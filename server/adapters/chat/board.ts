import type { ButtonElement, CardChild, CardElement, Chat } from 'chat'
import { english } from '../../../shared/texts'
import { plainText } from '../../../shared/utils/line'
import { withinOrNull } from '../../../shared/utils/time'
import type { CardView, ReviewBoard, SpeechButton } from '../../ports/board'
import type { Outcome } from '../../ports/delivery'
import type { Log } from '../../ports/runtime'
import type { CardRef } from '../../ports/submission'
import { renderCard, renderMinimalCard, type RenderedCard } from './cards'
import { createPlaces } from './places'
import { platformByName } from '../../platforms/registry'
import { lineElement } from '../../platforms/shared/elements'
import type { Platform } from '../../platforms/traits'
import type { Connection, Room } from '../../platforms/connection'

/** Outcome for rooms that cannot check credentials. */
const UNCHECKED: Outcome = { ok: true, value: undefined }

/** Max wait for a person's name, ms. Refusals wait for it, because they name the people who may decide. */
const NAME_PATIENCE_MS = 800

/**
 * Creates the review board over all configured platforms. Each room is opened when its first card is sent.
 *
 * @param cardIntervalMs pause between cards, ms, instead of the platforms' own
 */
export function createBoard(
  connections: readonly Connection[], bot: () => Promise<Chat>, log: Log, cardIntervalMs?: number, texts = english,
): ReviewBoard {
  const rooms = new Map<string, Promise<Room>>()

  const places = createPlaces(connections)
  const roomOf = ({ platform, threadId }: CardRef) => places.of(threadId)[0] ?? platform
  const connectionOf = (room: string) => connections.find(({ platform }) => platform.key === split(room).platform)

  const nameOf = ({ platform }: Connection, channel = '') => `${platform.key}/${channel}`

  function openRoom(connection: Connection, channel: string | undefined): Promise<Room> {
    const name = nameOf(connection, channel)
    if (!rooms.has(name)) rooms.set(name, connection.room(bot, channel))
    return rooms.get(name)!
  }

  /** Returns a room's channel; undefined if a variable sets the platform's own channel; null if there is none yet. */
  async function channelOf(key: string, connection: Connection, place = key): Promise<string | null | undefined> {
    const { channel } = split(key)
    if (channel !== undefined || isFixed(connection)) return channel
    // Without an installation, use the card's channel.
    return await connection.locate?.() ?? split(place).channel ?? null
  }

  /** @param place room of the card, if it differs from the acting room */
  async function actInRoom<T>(
    key: string, act: (room: Room, connection: Connection) => Promise<Outcome<T>>, place = key,
  ): Promise<Outcome<T>> {
    const connection = connectionOf(key)
    if (!connection) {
      return { ok: false, permanent: true, reason: `The platform ${split(key).platform} is not configured any more.` }
    }
    const channel = await channelOf(key, connection, place)
    if (channel === null) return { ok: false, permanent: !connection.late, reason: whyNoRoom(connection) }
    try {
      return nameSetting(place, connection, await act(await openRoom(connection, channel), connection))
    }
    catch (error) {
      rooms.delete(nameOf(connection, channel))
      return unreachable(connection.platform, error)
    }
  }

  async function identify(key: string): Promise<Outcome<string | null>> {
    const connection = connectionOf(key)
    try {
      return await connection?.identify?.() ?? { ok: true, value: null }
    }
    catch (error) {
      return unreachable(connection!.platform, error)
    }
  }

  /** Sends the card, or the minimal card if the platform rejects the content. */
  async function sendCard<T>(
    view: CardView, platform: Platform, send: (rendered: RenderedCard) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const outcome = await send(renderCard(view, platform, texts))
    if (outcome.ok || !outcome.content) return outcome
    log.warn('card.refused', { submission: view.submissionId, platform: platform.key, reason: outcome.reason })
    // The platform may reject the whole card because it cannot fetch a picture.
    return view.pictures
      ? sendCard({ ...view, pictures: undefined }, platform, send)
      : send(renderMinimalCard(view, platform, texts))
  }

  return {
    platforms: connections.map(({ platform }) => platform.key),
    label: key => connectionOf(key)?.platform.label ?? key,
    roomOf,
    placeOf: ({ threadId }) => places.of(threadId),
    post: (key, view, attempt) => actInRoom(key, (room, { platform }) => (
      sendCard(view, platform, ({ card, summary }) => (
        room.post(card, summary, attempt === undefined ? view.submissionId : `${view.submissionId}-${attempt}`)
      ))
    )),
    reply: (ref, text, names = []) => actInRoom(ref.platform, (room, { platform, mentions }) => {
      const mentionedId = idsOn(platform.key, names).find(id => platformByName(platform.key)?.person.id.test(id))
      const mention = mentionedId && mentions?.of?.(mentionedId)
      return room.say(cardWith(lineElement(text)), plainText(text), ref, mention)
    }, roomOf(ref)),
    announce: (platform, text, url, button) => actInRoom(platform, room => room.say(
      cardWith(
        lineElement(text), ...url === null ? [] : [{ type: 'link' as const, label: texts('card.openOverview'), url }],
        ...button ? [{ type: 'actions' as const, children: [buttonElement(button)] }] : [],
      ),
      plainText(text),
    )),
    hasMember: (key, { id, names = [] }) => actInRoom<boolean>(key, async (room, { platform }) => (
      await room.hasMember?.(id, idsOn(platform.key, names)) ?? { ok: true, value: false }
    )),
    membersOf: (group) => {
      const { platform, id } = splitEntry(group)
      const members = connectionOf(platform)?.membersOf?.(id)
      return members?.then(outcome => (
        outcome.ok ? { ok: true, value: outcome.value.map(member => `${platform}:${member}`) } : outcome
      )) ?? null
    },
    nameOf: async (person) => {
      const { platform, id } = splitEntry(person)
      if (!connectionOf(platform) || !platformByName(platform)?.person.id.test(id)) return null
      const user = bot().then(chat => chat.getAdapter(platform).getUser?.(id))
      return (await withinOrNull(NAME_PATIENCE_MS, user).catch(() => null))?.fullName ?? null
    },
    link: async (ref) => {
      const connection = connectionOf(ref.platform)
      const channel = connection && await channelOf(ref.platform, connection, roomOf(ref))
      if (!connection || channel === null) return null
      const room = await openRoom(connection, channel).catch(() => void rooms.delete(nameOf(connection, channel)))
      return await room?.link?.(ref).catch(() => null) ?? null
    },
    awaits: async (key) => {
      const connection = connectionOf(key)
      return connection?.late && await channelOf(key, connection) === null ? whyNoRoom(connection) : null
    },
    identify,
    check: async (platform) => {
      const connection = connectionOf(platform)
      const isWithoutCards = connection && !connection.late && await channelOf(platform, connection) === null
      if (isWithoutCards) {
        const outcome = await identify(platform)
        return outcome.ok ? { ok: true, value: outcome.value !== null } : outcome
      }
      return actInRoom(platform, async (room) => {
        const outcome = await room.check?.() ?? UNCHECKED
        return outcome.ok ? { ok: true, value: outcome !== UNCHECKED } : outcome
      })
    },
    intervalMs: key => cardIntervalMs ?? connectionOf(key)?.platform.cardIntervalMs ?? 0,
    update: (ref, view) => actInRoom(ref.platform, (room, { platform }) => (
      sendCard(view, platform, ({ card, summary }) => room.update(ref, card, summary))
    ), roomOf(ref)),
  }
}

function unreachable({ label }: Platform, error: unknown): Outcome<never> {
  return { ok: false, permanent: false, reason: `${label} could not be reached: ${(error as Error).name}.` }
}

function cardWith(...children: CardChild[]): CardElement {
  return { type: 'card', children }
}

function buttonElement({ id, label, value }: SpeechButton): ButtonElement {
  return { type: 'button', id, label, value }
}

/** True if a variable names the channel, which then never changes. */
function isFixed({ channelId, locate }: Connection): boolean {
  return channelId !== null && !locate
}

function whyNoRoom({ platform, late: lateRoom }: Connection): string {
  if (!lateRoom) return `${platform.label} has no channel for cards: set ${platform.channel.variable}.`
  return `${platform.label} is waiting for its installation. Add the app to the channel of the cards; if it is there, remove it and add it again.`
}

/**
 * Corrects the setting named in a failure. Platforms always name the variable of their own channel, but the channel of
 * another room is set with its form.
 */
function nameSetting<T>(
  key: string, { channelId, late: lateRoom, platform }: Connection, outcome: Outcome<T>,
): Outcome<T> {
  const { variable: channelVariable } = platform.channel
  const { channel = channelId } = split(key)
  const isOwn = channel === channelId
  if (outcome.ok || !channelVariable || (isOwn && !lateRoom)) return outcome
  const name = isOwn ? 'the channel of the installation' : `the channel ${channel} of forms.config.ts (or FORMS_CONFIG)`
  return { ...outcome, reason: outcome.reason.replaceAll(channelVariable, () => name) }
}

function idsOn(key: string, names: readonly string[]): string[] {
  return names.map(splitEntry).filter(({ platform }) => platform === key).map(({ id }) => id)
}

/** Splits `platform:id`. An id may contain colons itself. */
function splitEntry(entry: string): { platform: string, id: string } {
  const [platform = '', ...id] = entry.split(':')
  return { platform, id: id.join(':') }
}

/** Splits `platform` or `platform/channel`. A channel id may contain slashes itself. */
function split(room: string): { platform: string, channel?: string } {
  const [platform = '', ...channel] = room.split('/')
  return { platform, channel: channel.join('/') || undefined }
}
