import { setResponseHeader, type H3Event } from 'h3'
import { HttpError } from './errors'
import { beginFlow, completeFlow, textOf, type OAuthFlow } from './oauth-flow'
import { platformAt } from './platform'
import { isSecure } from './session'

type SiteConfig = Parameters<typeof isSecure>[0]

interface Install {
  /** Keeps an installation that was begun. */
  cookie: string
  password: string
  finish(code: string): Promise<string | null>
}

interface Platform<I> {
  definition: { key: string, installOff?: string }
  install: I | null
}

/** How others get the app of the platform that the path names. @throws HttpError 404 when nobody may install it */
export function requireInstall<I>(
  event: H3Event, platformOf: (key: string) => Platform<I> | null,
): I & { cookie: string } {
  const { definition, install } = platformAt(
    event, platformOf, platform => platform.definition.installOff !== undefined,
  )
  if (!install) throw new HttpError(404, `${definition.key.toUpperCase()}_OAUTH_OFF`, definition.installOff!)
  return { ...install, cookie: `triage-${definition.key}-install` }
}

/** Ties a new installation to this browser; resolves with its state. */
export function beginInstall(event: H3Event, install: Install, config: SiteConfig): Promise<string> {
  return beginFlow(event, flowOf(install, config))
}

/** The page that says how the installation ended. The code of another browser's installation is not used. */
export async function finishInstall(event: H3Event, install: Install, config: SiteConfig): Promise<string> {
  setResponseHeader(event, 'Cache-Control', 'no-store')
  if (!await completeFlow(event, flowOf(install, config))) return '/setup?install=expired'
  const code = textOf(event, 'code')
  if (!code) return '/setup?install=cancelled'
  const workspace = await install.finish(code)
  return workspace ? `/setup?${new URLSearchParams({ install: 'done', workspace })}` : '/setup?install=failed'
}

function flowOf({ cookie, password }: Install, config: SiteConfig): OAuthFlow {
  return { name: cookie, password, secure: isSecure(config) }
}
