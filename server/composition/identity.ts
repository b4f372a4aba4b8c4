import { createDiscordIdentity } from '../platforms/discord/sign-in'
import { createSlackIdentity } from '../platforms/slack/sign-in'
import type { OpsConfig } from '../config/ops'
import type { IdentityProvider } from '../ports/identity'

/** The platforms that are set up to say who somebody is. */
export function createIdentityProviders({ slack, discord }: OpsConfig): IdentityProvider[] {
  return [...slack ? [createSlackIdentity(slack)] : [], ...discord ? [createDiscordIdentity(discord)] : []]
}
