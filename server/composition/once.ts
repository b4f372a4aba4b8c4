/** Starts at the first call and hands everybody the same result; a failed start is tried again at the next. */
export function once<T, Args extends unknown[]>(start: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  let started: Promise<T> | undefined
  return (...args) => started ??= start(...args).catch((error) => {
    started = undefined
    throw error
  })
}
