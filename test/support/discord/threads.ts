import { DiscordError } from './problems'
import type { Handler } from './rest'
import type { Channel, Json } from './types'
import type { World } from './world'

export function threadRoutes(world: World): Record<string, Handler> {
  return {
    'PATCH /channels/:id': ({ params: [id], body: { archived, ...body } }) => {
      const channel = world.channel(id!)
      if (archived !== undefined) archive(channel, archived as boolean)
      return Object.assign(channel, body)
    },
    'GET /channels/:id/threads/archived/public': ({ params: [id] }) => (world.channel(id!), {
      threads: [], members: [], has_more: false,
    }),
    'POST /channels/:id/messages/:message/threads': ({ params: [id, message], body }) => (
      world.startThread(world.message(message!, id), body)
    ),
  }
}

/** Returns the channel of a write. @throws DiscordError if it is an archived thread */
export function openChannel(world: World, id: string): Channel {
  const channel = world.channel(id)
  if (metadataOf(channel)?.archived) throw new DiscordError(400, 50083, 'Thread is archived')
  return channel
}

/** Archives or reopens a thread. A locked one needs the permission to manage threads, which the bot lacks. */
function archive(channel: Channel, archived: boolean): void {
  const metadata = metadataOf(channel)
  if (!metadata) throw new DiscordError(400, 50024, 'Cannot execute action on this channel type')
  if (metadata.locked) throw new DiscordError(403, 50013, 'Missing Permissions')
  Object.assign(metadata, { archived, archive_timestamp: new Date().toISOString() })
}

const metadataOf = (channel: Channel): Json | undefined => channel.thread_metadata as Json | undefined
