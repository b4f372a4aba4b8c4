import { createDiscordIdentity } from '../adapters/identity/discord'
import { createSlackIdentity } from '../adapters/identity/slack'
import type { OpsConfig } from '../config/ops'
import type { IdentityProvider } from '../ports/identity'

/** The platforms that are set up to say who somebody is. */
export function createIdentityProviders({ slack, discord }: OpsConfig): IdentityProvider[] {
  return [...slack ? [createSlackIdentity(slack)] : [], ...discord ? [createDiscordIdentity(discord)] : []]
}
