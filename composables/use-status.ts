/** What GET /api/status answers; times in epoch ms. */
export interface StatusReport {
  now: number
  version: string
  startedAt: number
  parts: StatusPart[]
  backlog: { pending: number, oldestAt: number | null, overdue: number } | null
  tally: HourTally[]
  audit: AuditLine[]
  gateways: GatewayStatus[]
  config: ConfigArea[]
}

export interface StatusPart {
  key: string
  label: string
  state: 'ok' | 'failing' | 'unknown'
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
  platform: string
  label: string
  owner: string | null
  connectedSince: number | null
  resumes: number
  identifiesToday: number
  lastEventAt: number | null
  lastForwardError: { at: number, reason: string } | null
  nextRestartAt: number | null
  deadLetters: number
}

export interface ConfigArea {
  area: string
  variables: { name: string, alias?: string, about: string, where?: string, set: boolean }[]
}

const EVERY_MS = 5_000

/** The status, asked again every few seconds while somebody looks. */
export function useStatus() {
  const report = shallowRef<StatusReport | null>(null)
  const problem = ref<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  let left = false

  async function refresh() {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') {
      await askOps<StatusReport>('/api/status').then((found) => {
        report.value = found
        problem.value = null
      }, (error) => { problem.value = error?.data?.error ?? 'The server does not answer.' })
    }
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

  return { report, problem, refresh }
}
