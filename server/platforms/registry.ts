import type { Definition } from './platform'
import { discord } from './discord/definition'
import { gchat } from './gchat/definition'
import { sandbox } from './sandbox/definition'
import { slack } from './slack/definition'
import { teams } from './teams/definition'
import { telegram } from './telegram/definition'
import { whatsapp } from './whatsapp/definition'

/** All platforms, in the order in which people see them */
export const platforms: readonly Definition[] = [slack, discord, teams, gchat, telegram, whatsapp, sandbox]

/** Platforms that are not embedded in this service */
export const outside = platforms.filter(({ needs }) => needs.length > 0)

/** Returns the platform whose webhooks arrive under `name`. */
export function platformByName(name: string): Definition | undefined {
  return platforms.find(({ key, aliases }) => key === name || aliases.includes(name))
}
