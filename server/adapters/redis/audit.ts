import { jsonIn } from '../../../shared/utils/json'
import { AUDIT_TTL_MS } from '../../ports/store'
import type { AuditLine } from '../../ports/submission'
import type { Calls } from './calls'
import type { RedisClient } from './client'
import { AUDIT } from './keys'

/** About 20 MB; who decides more than that in 30 days exports in time. */
const AUDIT_LINES = 100_000

/** Lines that are read at a time, some 400 KB: a whole trail may take a slow line longer than a call may take. */
const PIECE = 2000

/**
 * The newest lines, newest first, none from before `since`; what comes in meanwhile moves none of them. One that cannot
 * be read keeps nobody from the others.
 */
export async function readAudit(
  client: RedisClient, { call }: Calls, limit: number, since: number,
): Promise<AuditLine[]> {
  const lines: { at: number, line: AuditLine | undefined }[] = []
  for (;;) {
    const last = lines.at(-1)?.at
    // Several may be of one moment, of which the next piece leaves out those that are there.
    const offset = lines.length - 1 - lines.findLastIndex(({ at }) => at !== last)
    const count = Math.min(limit - lines.length, PIECE)
    const found = await call(() => client.zRangeWithScores(
      AUDIT, last ?? '+inf', since, { BY: 'SCORE', REV: true, LIMIT: { offset, count } },
    ))
    lines.push(...found.map(({ value, score }) => ({ at: score, line: jsonIn(value) as AuditLine | undefined })))
    if (found.length < count || lines.length === limit) return lines.flatMap(({ line }) => line ?? [])
  }
}

/** How the scripts take an audit line, or that there is none. */
export function lineOf(audit: AuditLine | undefined) {
  const line = audit ? JSON.stringify(audit) : ''
  return { outcome: audit?.outcome ?? '', line, lineAt: audit?.at ?? '', lineAge: AUDIT_TTL_MS, mostLines: AUDIT_LINES }
}
