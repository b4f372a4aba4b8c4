import { discordInviteLink } from '../platforms/discord/invite'
import { slackCreateAppLink, slackManifest, type SlackManifest } from '../platforms/slack/manifest'
import { checkConfig, type Config, type ConfigCheck } from '../config'

/** What the set-up page shows; no values of variables but public ones. */
export interface Setup {
  /** Null when it is not known. */
  siteUrl: string | null
  config: readonly ConfigCheck[]
  /** `app` needs the public URL; `installUrl` puts it into another workspace and is null when that is off. */
  slack: { app: { manifest: string, createUrl: string } | null, installUrl: string | null }
  /** Null until the application id is set. */
  discordInviteUrl: string | null
}

/** Makes the manifest of the Slack app; null while the public URL is not known. */
export function manifestOf({ siteUrl, platforms: { slackOAuth } }: Pick<Config, 'siteUrl' | 'platforms'>): ((variant: { files: boolean }) => SlackManifest) | null {
  return siteUrl === null ? null : variant => slackManifest(siteUrl, { ...variant, oauth: slackOAuth !== undefined })
}

export function readSetup(config: Config): Setup {
  const { siteUrl, discord, platforms: { slackOAuth } } = config
  const manifest = manifestOf(config)?.({ files: false })
  return {
    siteUrl,
    config: checkConfig(),
    slack: { app: manifest ? { manifest: JSON.stringify(manifest, null, 2), createUrl: slackCreateAppLink(manifest) } : null, installUrl: slackOAuth ? '/api/slack/install' : null },
    discordInviteUrl: discord ? discordInviteLink(discord.applicationId) : null,
  }
}
