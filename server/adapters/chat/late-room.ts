import type { Connection } from '../../platforms/connection'
import type { Installations } from '../../ports/installations'

/** A connection whose channel, where no variable names it, is the one in which people installed the app. */
export function located(
  connection: Connection, installations: Pick<Installations, 'find'>,
): Connection {
  const { late } = connection
  if (!late) return connection
  let channelId: string | null = null
  return {
    ...connection,
    get channelId() {
      return channelId
    },
    // With the store away it is where it was.
    locate: async () => channelId = await installations.find(late.app).then(
      found => found?.channel ?? null, () => channelId,
    ),
  }
}
