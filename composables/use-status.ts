/** What GET /api/status answers; times in epoch ms. */
export interface StatusReport {
  now: number
  version: string
  startedAt: number
  /** From when on forms are refused; null while they are taken in. */
  refusingSince: number | null
  /** By how much the clock of the machine that answered is ahead of the store's, ms; less than 0 when it is behind. */
  clockAheadMs: number
  parts: StatusPart[]
  /** Null, as the three below: not known, because the store is away. */
  backlog: { pending: number, oldestAt: number | null, overdue: number, stuck: number } | null
  tally: HourTally[] | null
  /** The oldest of those that wait for a person. */
  stuck: { id: string, what: string, reason: string }[] | null
  audit: AuditLine[] | null
  gateways: { platform: string, label: string, status: GatewayStatus | null }[]
  config: ConfigArea[]
  /** What is not set and therefore missing; one line each. */
  missing: string[]
}

export interface StatusPart {
  key: string
  label: string
  state: 'ok' | 'failing' | 'unused' | 'unknown'
  lastSuccessAt: number | null
  lastError: { at: number, reason: string } | null
}

export interface HourTally { hour: number, counts: Partial<Record<Outcome | 'received', number>> }
export type Outcome = 'forwarded' | 'edited' | 'spam' | 'expired' | 'failed' | 'released' | 'deleted'

export interface AuditLine {
  id: string
  outcome: Outcome
  at: number
  receivedAt: number
  reviewer: { id: string, name: string, platform: string } | null
}

export interface GatewayStatus {
  owner: string | null
  connectedSince: number | null
  resumes: number
  identifiesInDay: number
  lastEventAt: number | null
  lastForwardError: { at: number, reason: string } | null
  nextRestartAt: number | null
  deadLetters: number
}

export interface ConfigArea {
  area: string
  variables: { name: string, alias?: string, about: string, where?: string, set: boolean }[]
}

const EVERY_MS = 2000

/** Longer than the server waits for a store that is silent, ms. */
const ANSWER_MS = 2500

/** Without an answer for so long, ms, what is shown may be wrong. */
const PATIENCE_MS = 4000

/** The status, asked again every few seconds while somebody looks. */
export function useStatus() {
  const report = shallowRef<StatusReport | null>(null)
  const problem = ref<string | null>(null)
  /** When the report came, epoch ms by this machine's clock. */
  const heardAt = ref(Date.now())
  const now = useNow()
  // By the clock, because timers sleep with the machine.
  const liveness = computed<Liveness>(() => problem.value || now.value - heardAt.value > PATIENCE_MS ? 'lost' : report.value ? 'live' : 'connecting')
  let timer: ReturnType<typeof setTimeout> | undefined
  let left = false

  async function refresh() {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') {
      await askOps<StatusReport>('/api/status', undefined, { timeout: ANSWER_MS }).then((found) => {
        report.value = found
        heardAt.value = Date.now()
        problem.value = null
      }, (error) => { problem.value = errorLine(error) })
    }
    clearTimeout(timer)
    if (!left) timer = setTimeout(refresh, EVERY_MS)
  }

  onMounted(() => {
    document.addEventListener('visibilitychange', refresh)
    void refresh()
  })
  onUnmounted(() => {
    left = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', refresh)
  })

  return { report, problem, liveness, heardAt, refresh }
}
