/** Address in form data that the user inspects before opening it; null if none */
export const useLookedAt = () => useState<string | null>('looked-at', () => null)
