import { z } from 'zod'
import { platforms } from '../platforms/registry'
import { duration, email, endpoint, list, text, type Values, type Variable } from '../variable'

const MINUTE_MS = 60_000

const channel = text.regex(
  /^(?:cards|[a-z]+:\S+)$/, 'must be cards, or a platform and a channel such as slack:C0123456789',
).refine(
  value => value === 'cards' || platforms.some(({ key }) => key === value.split(':')[0]), 'names an unknown platform',
)

/** Variables for messages about parts of the service that fail */
export const alertVariables = {
  ALERT_CHANNEL: {
    schema: channel,
    about: 'Room that is told when a part of this service has failed for 5 minutes, and when it works again: cards for the room of the cards, or a platform and a channel, e.g. slack:C0123456789.',
    example: 'cards',
  },
  ALERT_EMAIL: {
    schema: list.pipe(z.array(email).min(1, 'must not be empty')),
    about: 'Email addresses that are told the same, separated by commas.', example: 'ops@example.com',
  },
  ALERT_WEBHOOK: {
    schema: endpoint,
    about: 'URL to which the same is POSTed as JSON, signed with FORWARD_SIGNING_SECRET if that is set.',
    example: 'https://alerts.example.com/hooks/forms',
  },
  ALERT_AFTER: {
    schema: duration.refine(ms => ms > 0 && ms <= 24 * 60 * MINUTE_MS, 'must be between 1s and 24h'),
    about: 'How long a part must fail before that is told, e.g. 10m. Default: 5m.', example: '5m',
  },
} as const satisfies Record<string, Variable>

export interface AlertConfig {
  /** `cards`, or the name of a room such as `slack/C0123456789`. */
  room?: string
  to?: readonly string[]
  webhook?: string
  afterMs: number
}

/** @param platformKeys platforms that are set up; adds to `problems` if the channel is on another one */
export function readAlerts(
  { ALERT_CHANNEL, ALERT_EMAIL, ALERT_WEBHOOK, ALERT_AFTER }: Partial<Values<typeof alertVariables>>,
  platformKeys: readonly string[], problems: string[],
): AlertConfig {
  const platform = ALERT_CHANNEL?.split(':')[0]
  if (platform !== undefined && platform !== 'cards' && !platformKeys.includes(platform)) {
    problems.push(`ALERT_CHANNEL names a channel of ${platform}, which is not set up. Set it up, or name another one.`)
  }
  return {
    room: ALERT_CHANNEL?.replace(':', '/'), to: ALERT_EMAIL, webhook: ALERT_WEBHOOK,
    afterMs: ALERT_AFTER ?? 5 * MINUTE_MS,
  }
}
