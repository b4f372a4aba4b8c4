import { Card, CardLink, CardText, type Chat } from 'chat'
import type { CardView, ReviewBoard } from '../../ports/board'
import type { Outcome } from '../../ports/delivery'
import type { Log } from '../../ports/runtime'
import type { CardRef } from '../../ports/submission'
import { renderCard, renderMinimalCard, type RenderedCard } from './cards'
import { createPlaces } from './places'
import type { Platform } from '../../platforms/traits'
import type { Connection, Room } from '../../platforms/connection'

/**
 * The review board over all configured platforms; each room is opened when its first card goes out.
 *
 * @param cardIntervalMs another pause between cards than the platforms' own, ms
 */
export function createBoard(
  connections: readonly Connection[], bot: () => Promise<Chat>, log: Log, cardIntervalMs?: number,
): ReviewBoard {
  const rooms = new Map<string, Promise<Room>>()

  const places = createPlaces(connections)
  const roomOf = ({ platform, threadId }: CardRef) => places.of(threadId)[0] ?? platform
  const connectionOf = (room: string) => connections.find(({ platform }) => platform.key === split(room).platform)

  function open(key: string, connection: Connection): Promise<Room> {
    if (!rooms.has(key)) rooms.set(key, connection.room(bot, split(key).channel))
    return rooms.get(key)!
  }

  /** @param place the room that it is about, where that is another one than the one that acts */
  async function inRoom<T>(
    key: string, act: (room: Room, connection: Connection) => Promise<Outcome<T>>, place = key,
  ): Promise<Outcome<T>> {
    const connection = connectionOf(key)
    if (!connection) {
      return { ok: false, permanent: true, reason: `The platform ${split(key).platform} is not configured any more.` }
    }
    try {
      return about(place, connection, await act(await open(key, connection), connection))
    }
    catch (error) {
      rooms.delete(key)
      return {
        ok: false, permanent: false,
        reason: `${connection.platform.label} could not be reached: ${(error as Error).name}.`,
      }
    }
  }

  /** Sends the card; where the platform refuses what it says, the minimal one. */
  async function shown<T>(
    view: CardView, platform: Platform, send: (rendered: RenderedCard) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const outcome = await send(renderCard(view, platform))
    if (outcome.ok || !outcome.content) return outcome
    log.warn('card.refused', { submission: view.submissionId, platform: platform.key, reason: outcome.reason })
    return send(renderMinimalCard(view, platform))
  }

  return {
    platforms: connections.map(({ platform }) => platform.key),
    label: key => connectionOf(key)?.platform.label ?? key,
    roomOf,
    post: (key, view) => inRoom(key, (room, { platform }) => (
      shown(view, platform, ({ card, summary }) => room.post(card, summary, view.submissionId))
    )),
    reply: (ref, text) => inRoom(
      ref.platform, room => room.say(Card({ children: [CardText(text)] }), text, ref), roomOf(ref),
    ),
    answerLate: async (ref, text) => {
      const platform = connectionOf(ref.platform)?.platform
      if (!platform?.keepsMessages) return { ok: true, value: undefined }
      const card = Card({ children: [CardText(platform.escape(text))] })
      return inRoom(ref.platform, room => room.say(card, text, ref), roomOf(ref))
    },
    announce: (platform, text, url) => inRoom(platform, room => room.say(
      Card({ children: [CardText(text), ...url === null ? [] : [CardLink({ label: 'Open the overview', url })]] }),
      text,
    )),
    hasMember: (key, userId) => inRoom<boolean>(
      key, async room => await room.hasMember?.(userId) ?? { ok: true, value: false },
    ),
    link: async (ref) => {
      const connection = connectionOf(ref.platform)
      const room = connection && await open(ref.platform, connection).catch(() => void rooms.delete(ref.platform))
      return await room?.link?.(ref).catch(() => null) ?? null
    },
    check: platform => inRoom(platform, async room => await room.check?.() ?? { ok: true, value: undefined }),
    intervalMs: key => cardIntervalMs ?? connectionOf(key)?.platform.cardIntervalMs ?? 0,
    update: (ref, view) => inRoom(ref.platform, (room, { platform }) => (
      shown(view, platform, ({ card, summary }) => room.update(ref, card, summary))
    ), roomOf(ref)),
  }
}

/** Platforms name the variable of their own channel in a reason; that of another room stands with its form. */
function about<T>(key: string, { channelId, platform }: Connection, outcome: Outcome<T>): Outcome<T> {
  const { variable: channelVariable } = platform.channel
  const { channel = channelId } = split(key)
  if (outcome.ok || channel === channelId || !channelVariable) return outcome
  return { ...outcome, reason: outcome.reason.replaceAll(
    channelVariable, () => `the channel ${channel} of forms.config.ts (or FORMS_CONFIG)`,
  ) }
}

/** `platform` or `platform/channel`; a channel id may have slashes itself. */
function split(room: string): { platform: string, channel?: string } {
  const [platform = '', ...channel] = room.split('/')
  return { platform, channel: channel.join('/') || undefined }
}
