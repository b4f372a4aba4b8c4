import { useDocumentVisibility, useIntervalFn, whenever } from '@vueuse/core'

const REFRESH_MS = 2000

/** Timeout, ms: longer than the server waits for a silent store */
const ANSWER_MS = 2500

/** Time without an answer, ms, after which the shown status may be wrong */
const MAX_SILENCE_MS = 4000

/** The status, loaded every few seconds while the page is visible */
export function useStatus() {
  const report = shallowRef<StatusReport | null>(null)
  /** Time of the report, epoch ms */
  const heardAt = ref(serviceTime())
  const now = useNow()
  const visibility = useDocumentVisibility()
  const isLookedAt = () => visibility.value === 'visible'
  /** Start of the wait for an answer, epoch ms. Restarts when the page is shown: a hidden page requests nothing. */
  const waitStartedAt = ref(heardAt.value)
  /** True if the page is visible again but has no new answer yet */
  const isBack = ref(false)
  const { problem, refresh } = useRefresh(async () => {
    report.value = await askOps<StatusReport>('/api/status', undefined, ANSWER_MS)
    heardAt.value = waitStartedAt.value = serviceTime()
    isBack.value = false
  })
  // Compare clock times, because timers sleep with the machine.
  const isLate = computed(() => isLookedAt() && now.value - waitStartedAt.value > MAX_SILENCE_MS)
  const liveness = computed<Liveness>(
    () => problem.value || isLate.value ? 'lost' : report.value && !isBack.value ? 'live' : 'connecting',
  )
  useIntervalFn(() => isLookedAt() && void refresh(), REFRESH_MS)
  whenever(isLookedAt, () => {
    waitStartedAt.value = serviceTime()
    isBack.value = true
    void refresh()
  })

  return { report, problem, liveness, heardAt, refresh }
}
