import { outside, platforms } from '../platforms/registry'
import type { Definition, VariableReader } from '../platforms/platform'
import type { FormsConfig } from './forms'

type ReadValues = Readonly<Record<string, unknown>>

interface PlatformsContext extends Pick<VariableReader, 'require' | 'requireSite' | 'serverless'> {
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
export function wantedPlatforms(
  values: ReadValues, { isGiven, production, serverless, require }: PlatformsContext,
): string[] {
  // A switch may be set to off, and a value may be invalid.
  const isOutgoing = ({ outgoing }: Definition) => (
    outgoing !== undefined && isGiven(outgoing.variable) && values[outgoing.variable] !== false
  )
  const selectedPlatforms = outside.filter(definition => (
    isOutgoing(definition) || [...definition.needs, ...channelVariables(definition.channel)].some(isGiven)
  ))
  for (const definition of selectedPlatforms) {
    const { label, needs, outgoing } = definition
    const replaced = isOutgoing(definition) && !serverless ? outgoing!.replaced : []
    const reason = isOutgoing(definition) && serverless
      ? `${outgoing!.variable} needs a process that keeps running, which a serverless host does not have`
      : `other ${label} variables are set`
    require(needs.filter(name => !replaced.includes(name)), `, but ${reason}`)
  }
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
  { require, requireSite, serverless, siteUrl }: PlatformsContext,
): Readonly<Record<string, unknown>> {
  const createReader = (key: string): VariableReader => ({
    require, requireSite, serverless, siteUrl: siteUrl ?? '',
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
