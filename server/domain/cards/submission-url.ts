import type { Presentation } from '../context'

/** Returns the address of a submission's page; null if nobody can open the pages, or their address is unknown. */
export function submissionUrl(id: string, { siteUrl }: Presentation): string | null {
  return siteUrl === null ? null : `${siteUrl}/submissions/${id}`
}
