import type { StatusIncident } from '../../../shared/types/status'
import type { Incident, IncidentKind } from '../../ports/monitor'
import { counted } from '../../../shared/utils/text'

/** Texts for the person on duty; the time of the last one follows. */
const TEXTS: Record<IncidentKind, (count: number, detail: string) => string> = {
  'unknown-submission': count => (
    `${counted(count, 'click')} on submissions that are not in the store: was it emptied?`
  ),
  'misplaced': (count, platform) => (
    `${counted(count, 'click')} on ${platform} in a channel that the card does not belong to: did a channel move?`
  ),
  'guessed-passwords': count => (
    `${counted(count, 'wrong password')} beyond 50 a minute: somebody guesses OPS_PASSWORD. Each attempt waits; make it long, or have people sign in another way.`
  ),
  'moved-channel': (count, replacement) => (
    `A channel has another id by now, so that ${counted(count, 'click')} had no effect: in the configuration, replace ${replacement}.`
  ),
}

/** Skips kinds that only a newer replica knows. */
export function describeIncidents(incidents: readonly Incident[]): StatusIncident[] {
  return incidents.filter(({ kind }) => kind in TEXTS)
    .map(({ kind, detail, count, since, lastAt }) => ({ text: TEXTS[kind](count, detail), since, lastAt }))
}
