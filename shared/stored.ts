import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<() => void>()

/** Resolves once the event that `handle` handles survives a crash: when `noteStored` is called, or at the end. */
export function untilStored(handle: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    current.run(resolve, handle).then(() => resolve(), reject)
  })
}

/** Reports that the event which is being handled survives a crash, although its handling continues. */
export function noteStored(): void {
  current.getStore()?.()
}
