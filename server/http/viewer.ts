import type { H3Event } from 'h3'
import { HttpError } from './errors'
import { isExposed, isOwnPage } from './guards'

/** Who looks at the ops pages; cards name them as they name any reviewer. */
export interface Viewer {
  id: string
  name: string
  platform: string
}

/** Submissions are shown outside production only, to pages of this host; there is no sign-in yet, so it fails closed. */
export async function requireViewer(event: H3Event, { config }: { config: { production: boolean, host?: string } }): Promise<Viewer> {
  if (config.production) throw new HttpError(403, 'VIEWING_OFF', 'Submissions are not shown here in production: this version has no sign-in. Use the cards, or run outside production.')
  if (!isOwnPage(event.headers, isExposed(config.host))) throw new HttpError(403, 'FOREIGN_PAGE', 'Submissions are shown only to pages of this host.')
  return { id: 'local', name: 'Local', platform: 'Ops page' }
}
