import { discordInviteLink } from '../adapters/chat/discord/invite'
import { slackCreateAppLink, slackManifest } from '../adapters/chat/slack/manifest'
import { checkConfig, type Config, type ConfigCheck } from '../config'

/** What the set-up page shows; no values of variables but public ones. */
export interface Setup {
  siteUrl: string
  config: readonly ConfigCheck[]
  /** `installUrl` puts the app into another workspace; null when that is off. */
  slack: { manifest: string, createUrl: string, installUrl: string | null }
  /** Null until the application id is set. */
  discordInviteUrl: string | null
}

export function readSetup({ siteUrl, discord, platforms: { slackOAuth } }: Config): Setup {
  const manifest = slackManifest(siteUrl, { oauth: slackOAuth !== undefined })
  return {
    siteUrl,
    config: checkConfig(),
    slack: { manifest: JSON.stringify(manifest, null, 2), createUrl: slackCreateAppLink(manifest), installUrl: slackOAuth ? '/api/slack/install' : null },
    discordInviteUrl: discord ? discordInviteLink(discord.applicationId) : null,
  }
}
