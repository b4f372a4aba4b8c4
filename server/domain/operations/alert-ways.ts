import type { RichText } from '../../../shared/types/line'
import { plainText } from '../../../shared/utils/line'
import type { Endpoint, Outcome } from '../../ports/delivery'
import type { Context } from '../context'
import { emailDelivery } from '../deliveries/email'
import { fromHeader } from '../outbox/email'

/** A message to the people who run the service. It contains no form data. */
export interface AlertMessage {
  type: 'alert.failing' | 'alert.working' | 'alert.test'
  subject: string
  text: RichText
  /** Members of the webhook's `data` */
  facts: Readonly<Record<string, string | number | null>>
}

/** A way on which alerts are sent. */
export interface AlertWay {
  /** Name in the state, and for people */
  name: 'channel' | 'email' | 'webhook'
  /** True if the way needs the part with this key, so that it cannot report its failure. */
  needs(part: string): boolean
  /** @param key makes repeated attempts count as one message */
  send(message: AlertMessage, key: string): Promise<Outcome<unknown>>
}

export interface AlertWays {
  /** `cards`, or the name of a room */
  room?: string
  to?: readonly string[]
  webhook?: Endpoint
}

/** Returns the ways that are set. Their results are no health notes, so that alerts never report on themselves. */
export function openWays(context: Context, { room, to, webhook }: AlertWays): AlertWay[] {
  const { board, forms, mailer, mail, siteUrl, runtime } = context
  const ways: AlertWay[] = []
  const rooms = room === 'cards' ? forms.of(undefined).rooms : room === undefined ? [] : [room]
  const url = siteUrl && `${siteUrl}/status`
  if (rooms.length > 0) ways.push({
    name: 'channel',
    needs: part => rooms.every(each => each === part || each.split('/')[0] === part),
    send: async ({ text }) => {
      let outcome: Outcome<unknown>
      // A message in the first room that takes it is enough.
      for (const each of rooms) if ((outcome = await board.announce(each, text, url)).ok) break
      return outcome!
    },
  })
  if (to) ways.push({
    name: 'email',
    needs: part => part === emailDelivery.key,
    send: ({ subject, text }, key) => mailer.send({
      from: fromHeader(mail), to, subject, text: [plainText(text), ...url ? [url] : []].join('\n\n'),
      headers: { 'Auto-Submitted': 'auto-generated' },
    }, key),
  })
  if (webhook) ways.push({
    name: 'webhook',
    needs: () => false,
    send: ({ type, facts }, key) => webhook.post(JSON.stringify({
      type, timestamp: new Date(runtime.now()).toISOString(), data: { ...facts, url },
    }), key),
  })
  return ways
}
