import { withinOrNull } from '../../shared/utils/time'
import { background, keepAlive } from '../http/background'
import { detached } from '../http/errors'
import type { Runtime } from '../ports/runtime'

/** @param now time by the store's clock, epoch ms */
export function createRuntime(now: () => number): Runtime {
  return {
    now, random: Math.random, background, keepAlive,
    uuid: () => crypto.randomUUID(),
    wait: ms => new Promise(resolve => setTimeout(resolve, ms)),
    turn: () => new Promise(resolve => setImmediate(resolve)),
    within: async (task, ms) => void await withinOrNull(ms, task),
    detached,
  }
}
