import type { ActionEvent, Adapter, InstalledEvent } from 'chat'
import type { Connection } from '../../platforms/connection'
import type { Installation } from '../../ports/installations'

/** Longest id of a click that is kept, in characters; platforms' have up to 100. */
const PRESS_LENGTH = 200

/** Names rooms and people as the configuration does, and clicks as their platforms do. */
export interface Places {
  /** All names of the room that an event comes from, by its signed request; asked while it is handled. */
  here(threadId: string, adapter: Adapter): Promise<readonly string[]>
  /** The same by the thread's id alone, the narrowest first. */
  of(threadId: string): readonly string[]
  /** All names of who sent an event, by its signed request: `slack:U1` and `slack:T1:U1`, `discord:role:2`. */
  namesOf(event: Pick<ActionEvent, 'user' | 'raw' | 'adapter'>): readonly string[]
  /** All names of everybody whom a message mentions but the bot, in this order, as if they wrote there. */
  mentionedIn(message: Pick<ActionEvent, 'raw' | 'adapter'>): Promise<readonly (readonly string[])[]>
  /** What the platform calls a click, also when it is sent again; undefined where it does not say. */
  pressOf(event: Pick<ActionEvent, 'raw' | 'adapter'>): string | undefined
  /** Of which app an event tells that it was installed or removed, and where; null where that says nothing of cards. */
  installationIn(event: Pick<InstalledEvent, 'adapter' | 'conversationId' | 'tenantId' | 'raw'>): {
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
      return named(await connection.channelsHere?.(threadId, adapter) ?? channelsOf(threadId, connection), connection)
    },
    of(threadId) {
      const connection = connectionOf(threadId)
      return connection ? named(channelsOf(threadId, connection), connection) : []
    },
    namesOf(event) {
      const { adapter, user: { userId }, raw } = event
      const { name } = adapter
      const { embedded, idsOf, rolesOf } = connectionOf(name) ?? {}
      const ids = [...idsOf?.(userId, { raw, adapter }) ?? [userId], ...rolesOf?.(raw) ?? []]
      // Who signed in is the same person at the ops pages.
      return [...embedded?.namesOf(raw) ?? [], ...ids.map(id => `${name}:${id}`)]
    },
    async mentionedIn({ raw, adapter }) {
      const { name, botUserId } = adapter
      const { mentions } = connectionOf(name) ?? {}
      const mentioned = mentions?.in(raw).filter(id => id !== botUserId) ?? []
      const ids = await Promise.all(mentioned.map(id => mentions?.idsOf?.(id, { raw, adapter }) ?? [id]))
      return ids.map(each => each.map(id => `${name}:${id}`))
    },
    pressOf({ adapter, raw }) {
      const own = connections.find(({ platform }) => platform.key === adapter.name)?.pressOf
      const press = own ? own(raw) : (raw as { id?: unknown } | null)?.id
      return typeof press === 'string' ? press.slice(0, PRESS_LENGTH) : undefined
    },
    installationIn(event) {
      const late = connections.find(({ platform }) => platform.key === event.adapter.name)?.late
      const installation = late?.installationIn(event)
      return installation ? { app: late!.app, installation } : null
    },
  }
}

/** A room is `platform/channel`, and `platform` too when that is the platform's own. */
function named(channels: readonly string[], { platform: { key }, channelId }: Connection): string[] {
  const isOwn = channelId !== null && channels.includes(channelId)
  return [...channels.map(channel => `${key}/${channel}`), ...isOwn ? [key] : []]
}
