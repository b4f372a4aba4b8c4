/** Starts at the first call and hands everybody the same result; a failed start is tried again at the next. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => started ??= start().catch((error) => {
    started = undefined
    throw error
  })
}
