import { until, useOnline } from '@vueuse/core'

/** Interval between attempts while there is no connection, ms */
const RETRY_MS = 1000

/** Number of requests that wait for an answer */
const pendingCount = ref(0)
/** True if the last request got no answer */
const isUnreached = ref(false)
/** Requests to be sent again: the function that stops each one, and if it continues after its page was left */
const waitingRequests = shallowReactive(new Map<() => void, () => boolean>())

/** An error with a status counts as an answer. */
const hasNoAnswer = (error: unknown) => (error as { statusCode?: number }).statusCode === undefined

/** Updates the connection state from the outcome of a request. */
export async function noticed<T>(request: Promise<T>): Promise<T> {
  pendingCount.value++
  try {
    const answer = await request
    isUnreached.value = false
    return answer
  }
  catch (error) {
    isUnreached.value = hasNoAnswer(error)
    throw error
  }
  finally {
    pendingCount.value--
  }
}

/** Runs something when no request is pending: on a slow line the user's own requests come first. */
export function onceIdle(act: () => unknown): void {
  onNuxtReady(async () => {
    await until(pendingCount).toBe(0)
    act()
  })
}

/**
 * Sends a request again and again, until it is answered or stopped.
 *
 * @param isLeft true if it continues after its page was left
 */
export async function untilReached<T>(send: () => Promise<T>, isLeft: () => boolean): Promise<T> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>()
  let isStopped = false
  const stopThis = () => stop(void (isStopped = true))
  try {
    for (;;) {
      try {
        return await send()
      }
      catch (error) {
        if (!hasNoAnswer(error)) throw error
      }
      waitingRequests.set(stopThis, isLeft)
      await Promise.race([stopped, new Promise(resolve => setTimeout(resolve, RETRY_MS))])
      if (isStopped) throw new Error('It is not sent again. You will see whether it arrived once the connection is back.')
    }
  }
  finally {
    waitingRequests.delete(stopThis)
  }
}

/** Stops all requests that wait to be sent again. */
export function stopWaiting(): void {
  for (const stop of waitingRequests.keys()) stop()
}

/** Stops the waiting requests that must not continue after their page was left. */
export function stopWaitingHere(): void {
  for (const [stop, isLeft] of waitingRequests) if (!isLeft()) stop()
}

/** Reports whether the server is unreachable, as far as this page knows, and whether requests wait for it. */
export function useConnection() {
  const isOnline = useOnline()
  return {
    isLost: computed(() => !isOnline.value || isUnreached.value), isWaiting: computed(() => waitingRequests.size > 0),
  }
}
