import type { RevokingAction } from '../../../shared/actions'

/** The last decision, of one or many submissions, while it can be taken back (`until`, epoch ms) */
export const useLastDecided = () => (
  useState<{ ids: readonly string[], action: RevokingAction, until: number } | null>('last-decided', () => null)
)
