import { useDocumentVisibility, useIntervalFn, whenever } from '@vueuse/core'

const EVERY_MS = 2000

/** Longer than the server waits for a store that is silent, ms. */
const ANSWER_MS = 2500

/** Without an answer for so long, ms, what is shown may be wrong. */
const PATIENCE_MS = 4000

/** The status, asked again every few seconds while somebody looks. */
export function useStatus() {
  const report = shallowRef<StatusReport | null>(null)
  /** When the report came, epoch ms. */
  const heardAt = ref(serviceTime())
  const now = useNow()
  const visibility = useDocumentVisibility()
  const isLookedAt = () => visibility.value === 'visible'
  /** Since when an answer is waited for, epoch ms: nothing is asked while nobody looks. */
  const waitedSince = ref(heardAt.value)
  /** Somebody looks again, and has no answer yet. */
  const isBack = ref(false)
  const { problem, refresh } = useRefresh(async () => {
    report.value = await askOps<StatusReport>('/api/status', undefined, ANSWER_MS)
    heardAt.value = waitedSince.value = serviceTime()
    isBack.value = false
  })
  // By the clock, because timers sleep with the machine.
  const isLate = computed(() => isLookedAt() && now.value - waitedSince.value > PATIENCE_MS)
  const liveness = computed<Liveness>(
    () => problem.value || isLate.value ? 'lost' : report.value && !isBack.value ? 'live' : 'connecting',
  )
  useIntervalFn(() => isLookedAt() && void refresh(), EVERY_MS)
  whenever(isLookedAt, () => {
    waitedSince.value = serviceTime()
    isBack.value = true
    void refresh()
  })

  return { report, problem, liveness, heardAt, refresh }
}
