import type { Moment } from '../../../shared/types/line'

export function onDate(at: number): Moment {
  return { at, shows: 'date' }
}

/** Of what is but hours away. */
export function byClock(at: number): Moment {
  return { at, shows: 'clock' }
}

/** Of what is but seconds away. */
export function toTheSecond(at: number): Moment {
  return { at, shows: 'seconds' }
}
