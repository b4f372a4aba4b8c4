import type { Monitor } from '../ports/monitor'

export function createMonitor(): Monitor {
  return { received: () => {}, tried: () => {}, ended: () => {}, acknowledged: () => {} }
}
