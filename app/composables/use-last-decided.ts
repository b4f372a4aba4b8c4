/** What was decided last, as long as it can be taken back; `until`, epoch ms. */
export const useLastDecided = () => (
  useState<{ id: string, action: 'undo' | 'reopen', until: number } | null>('last-decided', () => null)
)
