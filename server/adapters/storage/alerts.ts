import type { AlertBook, AlertState } from '../../ports/monitor'
import { change, type SmallStorage } from './small-storage'

const KEY = 'alerts'

const EMPTY: AlertState = { outages: {}, sentAt: {}, speaker: null }

/** Keeps the state of the alerts under one key. */
export function createAlertBook(storage: SmallStorage): AlertBook {
  return {
    async change<T>(next: (state: AlertState) => { state: AlertState, result: T }) {
      let last!: T
      await change(storage, KEY, (text) => {
        const { state, result } = next(text === null ? EMPTY : JSON.parse(text) as AlertState)
        last = result
        return JSON.stringify(state)
      })
      return last
    },
  }
}
