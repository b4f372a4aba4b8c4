import type { Chat } from 'chat'
import type { Log } from '../../ports/runtime'
import type { Install } from '../connection'
import type { FormSlackAdapter } from './adapter'
import type { SlackSettings } from './client'
import { installLink, redirectUri } from './manifest'

/** Lets other workspaces install the app; undefined if none may. */
export function slackInstall(
  { oauth, apiUrl, groups }: SlackSettings, siteUrl: string, log: Log,
): Install | undefined {
  if (!oauth) return undefined
  const callbackUrl = redirectUri(siteUrl)
  return {
    password: oauth.encryptionKey,
    link: (state, variant) => installLink(
      { clientId: oauth.clientId, redirectUri: callbackUrl, state }, { ...variant, groups }, apiUrl,
    ),
    async finish(code, bot) {
      try {
        const adapter = await slackAdapter(bot)
        const callbackRequest = new Request(`${callbackUrl}?${new URLSearchParams({ code })}`)
        const { teamId } = await adapter.handleOAuthCallback(callbackRequest, { redirectUri: callbackUrl })
        log.info('slack.installed', { workspace: teamId })
        return teamId
      }
      catch (error) {
        log.warn('slack.install-failed', { error })
        return null
      }
    },
  }
}

/** Returns the initialized adapter, which stores the workspaces that installed the app. */
export async function slackAdapter(bot: () => Promise<Chat>): Promise<FormSlackAdapter> {
  const chat = await bot()
  await chat.initialize()
  return chat.getAdapter('slack') as FormSlackAdapter
}
