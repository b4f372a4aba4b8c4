import type { HistoryEntry, Submission } from '../../ports/submission'

/** Longest history that is kept: a few rounds of every delivery with all its attempts. */
const HISTORY_ENTRIES = 60

/**
 * Bounded, because a submission may be decided and reopened any number of times; the arrival stays. A card that cannot
 * be updated for days is one entry, the latest.
 */
export function withEntry({ history }: Submission, entry: HistoryEntry): readonly HistoryEntry[] {
  const entries = [...history.filter(earlier => !repeats(entry, earlier)), entry]
  return entries.length <= HISTORY_ENTRIES ? entries : [entries[0]!, ...entries.slice(1 - HISTORY_ENTRIES)]
}

function repeats(entry: HistoryEntry, earlier: HistoryEntry): boolean {
  return entry.event === 'failed' && earlier.event === 'failed' && entry.kind === 'update' && earlier.kind === 'update'
    && entry.room === earlier.room && entry.reason === earlier.reason
}
