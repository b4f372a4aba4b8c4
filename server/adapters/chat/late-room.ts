import type { Connection } from '../../platforms/connection'
import type { Installations } from '../../ports/installations'

/** Returns a connection that uses the channel in which people installed the app, unless a variable names a channel. */
export function located(
  connection: Connection, installations: Installations,
): Connection {
  const { late: lateRoom } = connection
  if (!lateRoom) return connection
  let channelId: string | null = null
  return {
    ...connection,
    get channelId() {
      return channelId
    },
    // If the store fails, the channel stays the same.
    locate: async () => channelId = await installations.find(lateRoom.app).then(
      installation => installation?.channel ?? null, () => channelId,
    ),
  }
}
