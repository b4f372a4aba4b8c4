import type { Adapter, Author } from 'chat'
import type { Connection, InstallEvent, RawEvent } from '../../platforms/connection'
import type { Installation } from '../../ports/installations'

/** Max length of a stored click id, characters. Ids of platforms have up to 100. */
const PRESS_LENGTH = 200

/** Names of rooms and people as in the configuration, and ids of clicks as on their platforms. */
export interface Places {
  /** Returns all names of an event's room, from the event's signed request. Call this while the event is handled. */
  here(threadId: string, adapter: Adapter): Promise<readonly string[]>
  /** Returns all names of a thread's room from the thread's id alone, the most specific name first. */
  of(threadId: string): readonly string[]
  /** Returns all names of an event's sender, by its signed request: `slack:U1` and `slack:T1:U1`, `discord:role:2`. */
  namesOf(event: RawEvent & { user: Author }): readonly string[]
  /** Returns all names of each person mentioned in a message, in order, without the bot. Names as in `namesOf`. */
  mentionedIn(message: RawEvent): Promise<readonly (readonly string[])[]>
  /** Returns the platform's id of a click, the same if it is sent again; undefined if there is none. */
  pressOf(event: RawEvent): string | undefined
  /** Returns the app and the place of an install or uninstall event; null if the event does not concern cards. */
  installationIn(event: InstallEvent & { adapter: Adapter }): {
    app: string
    installation: Installation
  } | null
}

export function createPlaces(connections: readonly Connection[]): Places {
  const connectionOf = (threadId: string) => connections.find(({ platform }) => platform.key === threadId.split(':')[0])
  const channelsOf = (threadId: string, { channelsOf }: Connection) => channelsOf?.(threadId)
    ?? [threadId.split(':')[1] ?? '']
  return {
    async here(threadId, adapter) {
      const connection = connectionOf(threadId)
      if (!connection) return []
      await connection.locate?.()
      const channels = await connection.channelsHere?.(threadId, adapter) ?? channelsOf(threadId, connection)
      return nameRooms(channels, connection)
    },
    of(threadId) {
      const connection = connectionOf(threadId)
      return connection ? nameRooms(channelsOf(threadId, connection), connection) : []
    },
    namesOf(event) {
      const { adapter, user: { userId }, raw } = event
      const { name } = adapter
      const { embedded, idsOf, rolesOf } = connectionOf(name) ?? {}
      const ids = [...idsOf?.(userId, { raw, adapter }) ?? [userId], ...rolesOf?.(raw) ?? []]
      // Somebody who is signed in is the same person on the ops pages.
      return [...embedded?.namesOf(raw) ?? [], ...ids.map(id => `${name}:${id}`)]
    },
    async mentionedIn({ raw, adapter }) {
      const { name, botUserId } = adapter
      const { mentions } = connectionOf(name) ?? {}
      const mentionedIds = mentions?.in(raw).filter(id => id !== botUserId) ?? []
      const ids = await Promise.all(mentionedIds.map(id => mentions?.idsOf?.(id, { raw, adapter }) ?? [id]))
      return ids.map(each => each.map(id => `${name}:${id}`))
    },
    pressOf({ adapter, raw }) {
      const readPress = connections.find(({ platform }) => platform.key === adapter.name)?.pressOf
      const press = readPress ? readPress(raw) : (raw as { id?: unknown } | null)?.id
      return typeof press === 'string' ? press.slice(0, PRESS_LENGTH) : undefined
    },
    installationIn(event) {
      const lateRoom = connections.find(({ platform }) => platform.key === event.adapter.name)?.late
      const installation = lateRoom?.installationIn(event)
      return installation ? { app: lateRoom!.app, installation } : null
    },
  }
}

/** Names channels as rooms: `platform/channel`, and also `platform` for the platform's own channel. */
function nameRooms(channels: readonly string[], { platform: { key }, channelId }: Connection): string[] {
  const isOwn = channelId !== null && channels.includes(channelId)
  return [...channels.map(channel => `${key}/${channel}`), ...isOwn ? [key] : []]
}
