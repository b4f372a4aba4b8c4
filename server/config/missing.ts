import { checkValues, type Config } from '../config'
import { platforms as allPlatforms } from '../platforms/registry'
import { folderProblem } from './folder'
import { unusualChannels } from './forms'
import { everyoneListed } from './people'

/** Warnings about absent settings with surprising effects; each line says what to set. */
export function missingSettings(config: Config): string[] {
  const { siteUrl, production, ops, people, forms, platforms, agent, tools, dataDir } = config
  const missing: string[] = []
  if (siteUrl === null) missing.push(
    'NUXT_PUBLIC_SITE_URL is not set: cards and notices have no links to the pages of this service, and platforms that call in have no address to call.',
  )
  if (production && !ops.canSignIn) missing.push(
    'Nobody can sign in to the pages: they are closed, and cards have no links to them, so that submissions are edited only where the platform has forms. Set OPS_PASSWORD and NUXT_SESSION_PASSWORD, or another way to sign in.',
  )
  const unusablePlatforms = allPlatforms.filter(({ key }) => (
    !(key in platforms) && !(key in ops.platforms)
    && everyoneListed(people, forms).some(entry => entry.startsWith(`${key}:`))
  ))
  missing.push(...unusablePlatforms.map(({ label }) => (
    `People of ${label} are listed (REVIEWERS, OPS_VIEWERS, or the reviewers of a form), and ${label} is not set up, neither for cards nor to sign in: none of them can do anything here.`
  )))
  const diskProblem = agent.model && tools.files?.storage.kind === 'disk' ? folderProblem(dataDir) : null
  if (diskProblem) missing.push(`${diskProblem} Until then the agent keeps no files.`)
  return missing
}

/** Warnings about accepted settings that look wrong; one line each */
export function unusualSettings({ forms }: Config): string[] {
  return [...checkValues(), ...unusualChannels(forms)]
}
