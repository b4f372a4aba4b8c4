import { createSharedComposable, useTimestamp } from '@vueuse/core'

/**
 * Everything that the pages ask of the server. When the session has ended, somebody signs in over the page
 * first, and then it is asked again.
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

/** Has something done, once: while the server cannot be reached it waits, and sent again it is known by its name. */
export function askOnce<T>(path: string, body: object, isLeft: () => boolean = () => false): Promise<T> {
  const press = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(36)).join('')
  return untilReached(() => askOps<T>(path, { ...body, press }), isLeft)
}

/**
 * Leaves for an address of the server that answers with a file or leads elsewhere. An error would take the place of the
 * page: whether the session has ended, or the store is away, is asked before, of something cheaper than a file.
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

/** The text with this service's address where it has a path only, because nobody said where the service is. */
export function atThisSite(text: string): string {
  return text.replace(/(^|\s)(?=\/api\/)/, `$1${location.origin}`)
}

let context: Promise<OpsContext> | null = null

/** What the pages say about this deployment; asked until it is known, null before and when nobody may look. */
export function useOpsContext() {
  const known = useState<OpsContext | null>('ops-context', () => null)
  useRefresh(async () => {
    known.value ??= await (context ??= askOps<OpsContext>('/api/ops/context').finally(() => context = null))
  })
  return known
}

/** By how much this machine's clock is ahead of the service's, ms, where that is more than a slow answer explains. */
const aheadMs = ref(0)

/** @param now the time by the service's clock, epoch ms, between the question and its answer */
function compareClocks(askedAt: number, now?: number): void {
  if (now === undefined) return
  const offMs = Math.max(askedAt - now, Math.min(Date.now() - now, 0))
  aheadMs.value = Math.abs(offMs) > CLOCK_OFF_MS ? offMs : 0
}

/** The time by the service's clock, as far as it is known, epoch ms: by it all times were noted that pages show. */
export const serviceTime = () => Date.now() - aheadMs.value

/** The same every second; one timer for all who show it. */
export const useNow = createSharedComposable(() => {
  const now = useTimestamp({ interval: 1000 })
  return computed(() => now.value - aheadMs.value)
})

const UNITS = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]] as const

/** `45 s`, `12 min`, `3 h 20 min`, `6 d 23 h`: as exact as a person on duty cares for. */
export function formatDuration(ms: number): string {
  const left = Math.max(0, ms)
  const first = UNITS.findIndex(([, size]) => left >= size)
  if (first === -1) return '0 s'
  const [name, size] = UNITS[first]!
  const whole = `${Math.floor(left / size)} ${name}`
  const next = UNITS[first + 1]
  const rest = next && first < 2 ? Math.floor(left % size / next[1]) : 0
  return rest > 0 ? `${whole} ${rest} ${next![0]}` : whole
}
