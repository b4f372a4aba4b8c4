import type { Chat } from 'chat'
import { slackAdapter } from '../platforms/connections'
import { slackInstallLink, slackRedirectUri } from '../platforms/slack/manifest'
import type { Config } from '../config'
import type { Log } from '../ports/runtime'

/** How further Slack workspaces get the app. */
export interface SlackInstall {
  /** Seals what a browser keeps while it is at Slack. */
  password: string
  /** Slack's page that asks for consent. */
  link: (state: string, variant: { files: boolean }) => string
  /** Keeps the token that the code stands for; resolves with the workspace's id, or with null when Slack refuses. */
  finish: (code: string) => Promise<string | null>
}

/** Null while no workspace may install the app. */
export function createSlackInstall({ platforms: { slackOAuth }, slack, siteUrl }: Config, bot: () => Promise<Chat>, log: Log): SlackInstall | null {
  if (!slackOAuth || !slack || siteUrl === null) return null
  const redirectUri = slackRedirectUri(siteUrl)
  return {
    password: slackOAuth.encryptionKey,
    link: (state, variant) => slackInstallLink({ clientId: slackOAuth.clientId, redirectUri, state }, variant, slack.apiUrl),
    async finish(code) {
      try {
        const adapter = await slackAdapter(bot)
        const { teamId } = await adapter.handleOAuthCallback(new Request(`${redirectUri}?${new URLSearchParams({ code })}`), { redirectUri })
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
