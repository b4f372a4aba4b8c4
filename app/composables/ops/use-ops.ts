import { createSharedComposable, useTimestamp } from '@vueuse/core'

/**
 * Sends a request of the pages to the server. If the session has ended, waits until the user has signed in over the
 * page, then repeats the request.
 */
export async function askOps<T>(path: string, body?: object, timeout = ANSWER_MS): Promise<T> {
  const method = body ? 'POST' : 'GET'
  for (;;) {
    const askedAt = Date.now()
    try {
      const answer = await noticed($fetch<T>(
        path, { method, body: body as Record<string, unknown> | undefined, timeout, retry: 0 },
      ) as Promise<T>)
      compareClocks(askedAt, (answer as { now?: number } | null)?.now)
      return answer
    }
    catch (error) {
      if ((error as { data?: { code?: string } }).data?.code !== 'SIGN_IN_REQUIRED') throw error
      await signInAgain()
    }
  }
}

/** Runs a command once: repeated while the server is unreachable, always with the same idempotency key (`press`). */
export function askOnce<T>(path: string, body: object, isLeft: () => boolean = () => false): Promise<T> {
  const requestId = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(36)).join('')
  return untilReached(() => askOps<T>(path, { ...body, press: requestId }), isLeft)
}

/**
 * Opens a server address that answers with a file or a redirect. An error would replace the page, so first checks the
 * session and the store with requests that are cheaper than a file.
 */
export function useVisit(): (path: string) => Promise<void> {
  const toast = useToast()
  return async (path) => {
    try {
      const { viewer, closed } = await askOps<SessionState>('/api/auth/session')
      if (!viewer && !closed) await signInAgain()
      await askOps('/api/submissions?limit=1')
      location.assign(path)
    }
    catch (error) {
      toast.add({
        title: 'That did not work', description: errorLine(error), color: 'error', icon: 'i-lucide-triangle-alert',
      })
    }
  }
}

/** Adds this site's origin to addresses that are only a path, because the service's URL is not configured. */
export function atThisSite(text: string): string {
  return text.replace(/(^|\s)(?=\/api\/)/, `$1${location.origin}`)
}

let contextRequest: Promise<OpsContext> | null = null

/** Facts about this deployment, requested until the server answers. Null until then, and if the user has no access. */
export function useOpsContext() {
  const context = useState<OpsContext | null>('ops-context', () => null)
  useRefresh(async () => {
    context.value ??= await (
      contextRequest ??= askOps<OpsContext>('/api/ops/context').finally(() => contextRequest = null)
    )
  })
  return context
}

/** Time by which this machine's clock is ahead of the service's, ms; 0 if a slow answer explains the difference */
const aheadMs = ref(0)

/** @param now time by the service's clock, epoch ms, at some moment between request and answer */
function compareClocks(askedAt: number, now?: number): void {
  if (now === undefined) return
  const offMs = Math.max(askedAt - now, Math.min(Date.now() - now, 0))
  aheadMs.value = Math.abs(offMs) > CLOCK_OFF_MS ? offMs : 0
}

/** Returns the estimated time of the service's clock, epoch ms: all times shown were recorded by that clock. */
export const serviceTime = () => Date.now() - aheadMs.value

/** Time by the service's clock, updated every second by one shared timer */
export const useNow = createSharedComposable(() => {
  const now = useTimestamp({ interval: 1000 })
  return computed(() => now.value - aheadMs.value)
})

const UNITS = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]] as const

/** Returns `45 s`, `12 min`, `3 h 20 min` or `6 d 23 h`: as exact as a person on duty needs. */
export function formatDuration(ms: number): string {
  const durationMs = Math.max(0, ms)
  const unitIndex = UNITS.findIndex(([, size]) => durationMs >= size)
  if (unitIndex === -1) return '0 s'
  const [name, size] = UNITS[unitIndex]!
  const whole = `${Math.floor(durationMs / size)} ${name}`
  const nextUnit = UNITS[unitIndex + 1]
  const rest = nextUnit && unitIndex < 2 ? Math.floor(durationMs % size / nextUnit[1]) : 0
  return rest > 0 ? `${whole} ${rest} ${nextUnit![0]}` : whole
}
