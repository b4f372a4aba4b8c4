import { discordInviteLink } from '../adapters/chat/discord/invite'
import { slackCreateAppLink, slackManifest } from '../adapters/chat/slack/manifest'
import { checkConfig, type Config, type ConfigCheck } from '../config'

/** What the set-up page shows; no values of variables but public ones. */
export interface Setup {
  siteUrl: string
  config: readonly ConfigCheck[]
  slack: { manifest: string, createUrl: string }
  /** Null until the application id is set. */
  discordInviteUrl: string | null
}

export function readSetup({ siteUrl, discord }: Config): Setup {
  const manifest = slackManifest(siteUrl)
  return {
    siteUrl,
    config: checkConfig(),
    slack: { manifest: JSON.stringify(manifest, null, 2), createUrl: slackCreateAppLink(manifest) },
    discordInviteUrl: discord ? discordInviteLink(discord.applicationId) : null,
  }
}
