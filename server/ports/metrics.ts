import type { Monitor } from './monitor'
import type { Backlog } from './store'

/** What is asked anew whenever the metrics are. */
export interface Gauges {
  backlog: Backlog
  gateways: readonly { platform: string, connected: boolean, resumes: number, deadLetters: number }[]
  /** Epoch ms. */
  now: number
}

/** Counts for Prometheus; each process has its own. */
export interface Metrics extends Monitor {
  /** The text format, version 0.0.4; without `gauges` when they could not be asked. */
  expose(gauges: Gauges | null): Promise<{ contentType: string, body: string }>
}
