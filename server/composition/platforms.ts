import type { Chat } from 'chat'
import type { ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import type { Config } from '../config'
import type { Context } from '../domain/context'
import { orUnavailable } from '../domain/queries/rows'
import { handleWebhook } from '../handlers/webhook'
import type { Connection } from '../platforms/connection'
import { platformByName, platforms } from '../platforms/registry'
import type { Services } from './services'

/** Max webhook body, bytes, unless the platform's definition sets another limit. */
const WEBHOOK_BYTES = 1024 * 1024

interface PlatformParts {
  config: Config
  connections: readonly Connection[]
  listeners: readonly ListenerSupervisor[]
  bot: () => Promise<Chat>
}

/** Returns the parts of each platform that routes use. */
export function platformServices(
  context: Context, { config, connections, listeners, bot }: PlatformParts,
): { platform: Services['platform'], webhook: Services['webhook'] } {
  const connectionOf = (key: string | undefined) => connections.find(({ platform }) => platform.key === key)
  return {
    platform: (key) => {
      const definition = platforms.find(platform => platform.key === key)
      if (!definition) return null
      const { siteUrl, platforms: { [key]: settings } } = config
      const { manifest } = definition
      const install = connectionOf(key)?.install
      const listener = listeners.find(({ platform }) => platform === key)
      return {
        definition,
        manifest: manifest?.(siteUrl, settings, { files: false, agent: false })
          ? variant => manifest(siteUrl, settings, variant)!
          : null,
        listener: listener ? { ...listener, status: () => orUnavailable(listener.status()) } : null,
        install: install ? { ...install, finish: code => install.finish(code, bot) } : null,
      }
    },
    webhook: (name) => {
      const definition = platformByName(name)
      const connection = connectionOf(definition?.key)
      if (!connection || connection.listensOnly) return null
      const { platform, embedded } = connection
      return {
        fromPages: embedded !== undefined,
        takesGet: definition?.verifiesWebhook === true,
        maxBytes: definition?.webhookBytes ?? WEBHOOK_BYTES,
        handle: (request, viewer) => {
          if (viewer && config.ops.canSignIn) embedded?.introduce(request, viewer)
          return handleWebhook(platform.key, request, bot, context)
        },
      }
    },
  }
}
