/** What was decided last, one or many at once, as long as it can be taken back; `until`, epoch ms. */
export const useLastDecided = () => (
  useState<{ ids: readonly string[], action: 'undo' | 'reopen', until: number } | null>('last-decided', () => null)
)
