import { outside, platforms } from '../platforms/registry'
import type { Definition, VariableReader } from '../platforms/platform'
import type { FormsConfig } from './forms'

type ReadValues = Readonly<Record<string, unknown>>

interface PlatformsContext extends Pick<VariableReader, 'require' | 'requireSite'> {
  /** Null when it is missing. */
  siteUrl: string | null
  /** True if a variable is set, even to an invalid value: the rest of its group is then required, too. */
  isGiven: (name: string) => boolean
  production: boolean
}

/**
 * Returns the keys of the platforms that have a variable set. Without any, returns the embedded platform outside
 * production. Reports the variables that these platforms still need.
 */
export function wantedPlatforms(values: ReadValues, { isGiven, production, require }: PlatformsContext): string[] {
  const selectedPlatforms = outside.filter(({ needs, channel }) => (
    [...needs, ...channelVariables(channel)].some(isGiven)
  ))
  for (const { label, needs } of selectedPlatforms) require(needs, `, but other ${label} variables are set`)
  const switchOf = ({ variables }: Definition) => values[Object.keys(variables)[0]!]
  const embeddedPlatforms = platforms.filter(platform => (
    platform.needs.length === 0 && (switchOf(platform) ?? (!production && selectedPlatforms.length === 0))
  ))
  const channelNames = selectedPlatforms.flatMap(({ channel }) => channelVariables(channel))
  if (selectedPlatforms.length + embeddedPlatforms.length === 0) {
    const [first, ...others] = outside
    const requiredNames = [...first!.needs, first!.channel.variable!]
    require(requiredNames, ` (or set up another platform: ${others.map(({ label }) => label).join(', ')})`)
  }
  else if (embeddedPlatforms.length === 0 && !channelNames.some(isGiven)) {
    const [first, ...others] = channelNames
    require([first!], `, and without it${others.length > 0 ? ` or ${others.join(' or ')}` : ''} no platform has cards`)
  }
  return [...selectedPlatforms, ...embeddedPlatforms].map(({ key }) => key)
}

/** Variables that name a channel; a platform with any of them gets cards. */
function channelVariables({ variable, instead }: Definition['channel']): string[] {
  return [variable, instead].flatMap(name => name ?? [])
}

/** Settings of the wanted platforms, by key */
export function readPlatforms(
  values: ReadValues, platformKeys: readonly string[],
  { forms, people }: { forms: FormsConfig, people: readonly string[] },
  { require, requireSite, siteUrl }: PlatformsContext,
): Readonly<Record<string, unknown>> {
  const createReader = (key: string): VariableReader => ({
    require, requireSite, siteUrl: siteUrl ?? '',
    channels: Object.values(forms).flatMap(({ channels }) => channels?.[key] ?? []),
    people: people.filter(entry => entry.startsWith(`${key}:`)).map(entry => entry.slice(key.length + 1)),
  })
  for (const { key, needsSite, check } of platforms) {
    if (platformKeys.includes(key) && needsSite) requireSite(needsSite)
    check?.(values, createReader(key))
  }
  return Object.fromEntries(
    platforms.flatMap(({ key, read }) => platformKeys.includes(key) ? [[key, read(values, createReader(key))]] : []),
  )
}
