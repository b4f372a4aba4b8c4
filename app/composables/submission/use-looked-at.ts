/** The address in form data that somebody looks at before they open it; null while nobody does. */
export const useLookedAt = () => useState<string | null>('looked-at', () => null)
