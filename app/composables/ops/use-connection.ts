import { until, useOnline } from '@vueuse/core'

/** What waits for the connection is sent again so often, ms. */
const RETRY_MS = 1000

/** How many requests wait for their answers. */
const asked = ref(0)
/** The last request had no answer. */
const isUnreached = ref(false)
/** What waits to be sent: how to stop it, and whether its page was left for another one meanwhile. */
const waiting = shallowReactive(new Map<() => void, () => boolean>())

/** An error with a status is an answer. */
const hasNoAnswer = (error: unknown) => (error as { statusCode?: number }).statusCode === undefined

/** Takes notice of what a request says about the connection. */
export async function noticed<T>(request: Promise<T>): Promise<T> {
  asked.value++
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
    asked.value--
  }
}

/** Has something done when nobody waits: what people came for has a slow line to itself. */
export function onceIdle(act: () => unknown): void {
  onNuxtReady(async () => {
    await until(asked).toBe(0)
    act()
  })
}

/**
 * Sends something again and again, until there is an answer or nobody waits for it any more.
 *
 * @param isLeft whether it goes on when the page that asked for it is gone
 */
export async function untilReached<T>(send: () => Promise<T>, isLeft: () => boolean): Promise<T> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>()
  let isOver = false
  const mine = () => stop(void (isOver = true))
  try {
    for (;;) {
      try {
        return await send()
      }
      catch (error) {
        if (!hasNoAnswer(error)) throw error
      }
      waiting.set(mine, isLeft)
      await Promise.race([stopped, new Promise(resolve => setTimeout(resolve, RETRY_MS))])
      if (isOver) throw new Error('It is not sent again. Whether it arrived is seen once the connection is back.')
    }
  }
  finally {
    waiting.delete(mine)
  }
}

/** Nobody waits any more for what was to be sent. */
export function stopWaiting(): void {
  for (const stop of waiting.keys()) stop()
}

/** The same, without what was left behind. */
export function stopWaitingHere(): void {
  for (const [stop, isLeft] of waiting) if (!isLeft()) stop()
}

/** Whether the server cannot be reached, as far as this page knows, and whether something waits for it. */
export function useConnection() {
  const isOnline = useOnline()
  return {
    isLost: computed(() => !isOnline.value || isUnreached.value), isWaiting: computed(() => waiting.size > 0),
  }
}
