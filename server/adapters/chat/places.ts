import type { ActionEvent, Adapter } from 'chat'
import type { Connection } from '../../platforms/connection'

/** Longest id of a click that is kept, in characters; platforms' have up to 100. */
const PRESS_LENGTH = 200

/** Names rooms and people as the configuration does, and clicks as their platforms do. */
export interface Places {
  /**
   * All names of the room that an event being handled is in, by its signed request; to be asked while it is handled.
   */
  here(threadId: string, adapter: Adapter): Promise<readonly string[]>
  /** The same by the thread's id alone, the narrowest first. */
  of(threadId: string): readonly string[]
  /** All names of who pressed a button: `discord:123`, `slack:U1` and `slack:T1:U1`. */
  namesOf(event: Pick<ActionEvent, 'user' | 'raw' | 'adapter'>): readonly string[]
  /** What the platform calls a click, also when it is sent again; undefined where it does not say. */
  pressOf(event: Pick<ActionEvent, 'raw' | 'adapter'>): string | undefined
}

export function createPlaces(connections: readonly Connection[]): Places {
  const connectionOf = (threadId: string) => connections.find(({ platform }) => platform.key === threadId.split(':')[0])
  const channelsOf = (threadId: string, { channelsOf }: Connection) => channelsOf?.(threadId)
    ?? [threadId.split(':')[1] ?? '']
  return {
    async here(threadId, adapter) {
      const connection = connectionOf(threadId)
      if (!connection) return []
      return named(await connection.channelsHere?.(threadId, adapter) ?? channelsOf(threadId, connection), connection)
    },
    of(threadId) {
      const connection = connectionOf(threadId)
      return connection ? named(channelsOf(threadId, connection), connection) : []
    },
    namesOf(event) {
      const { name } = event.adapter
      const ids = connections.find(({ platform }) => platform.key === name)?.idsOf?.(event) ?? [event.user.userId]
      return ids.map(id => `${name}:${id}`)
    },
    pressOf({ adapter, raw }) {
      const own = connections.find(({ platform }) => platform.key === adapter.name)?.pressOf
      const press = own ? own(raw) : (raw as { id?: unknown } | null)?.id
      return typeof press === 'string' ? press.slice(0, PRESS_LENGTH) : undefined
    },
  }
}

/** A room is `platform/channel`, and `platform` too when that is the platform's own. */
function named(channels: readonly string[], { platform: { key }, channelId }: Connection): string[] {
  return [...channels.map(channel => `${key}/${channel}`), ...channels.includes(channelId) ? [key] : []]
}
