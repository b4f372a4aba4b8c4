import { setResponseHeader, type H3Event } from 'h3'
import { HttpError } from './errors'
import { beginFlow, completeFlow, textOf, type OAuthFlow } from './oauth-flow'
import { isSecure } from './session'

interface SiteConfig { production: boolean, siteUrl: string | null }

interface Install {
  password: string
  finish(code: string): Promise<string | null>
}

/** @throws HttpError 404 when no workspace may install the app */
export function requireInstall<I extends Install>(install: I | null): I {
  if (!install) throw new HttpError(404, 'SLACK_OAUTH_OFF', 'Other Slack workspaces cannot install this app. Set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_ENCRYPTION_KEY.')
  return install
}

/** Ties a new installation to this browser; resolves with its state. */
export function beginInstall(event: H3Event, { password }: Install, config: SiteConfig): Promise<string> {
  return beginFlow(event, flowOf(password, config))
}

/** The page that says how the installation ended. The code of another browser's installation is not used. */
export async function finishInstall(event: H3Event, { password, finish }: Install, config: SiteConfig): Promise<string> {
  setResponseHeader(event, 'Cache-Control', 'no-store')
  if (!await completeFlow(event, flowOf(password, config))) return '/setup?install=expired'
  const code = textOf(event, 'code')
  if (!code) return '/setup?install=cancelled'
  const workspace = await finish(code)
  return workspace ? `/setup?${new URLSearchParams({ install: 'done', workspace })}` : '/setup?install=failed'
}

function flowOf(password: string, config: SiteConfig): OAuthFlow {
  return { name: 'triage-slack-install', password, secure: isSecure(config) }
}
