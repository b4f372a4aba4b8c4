import { z } from 'zod'
import { DELIVERY_TEXTS } from '../../../shared/deliveries'
import type { DeliveryRow } from './delivery'

const settings = {
  /** Platform and channel, such as `slack:C0123456789`. */
  channel: z.string('must be a channel such as slack:C0123456789').regex(
    /^[a-z]+:\S+$/, 'must be a platform and a channel, such as slack:C0123456789',
  ),
}

/** Copy of the card in a channel that only reads */
export const channelDelivery: DeliveryRow<'channel', typeof settings> = {
  key: 'channel', ...DELIVERY_TEXTS.channel, copyName: 'A copy of the card',
  isOptional: true, isErasable: true,
  intervalMs: 1000,
  settings,
  nameOf: ({ channel }) => channel,
  open: ({ channel }) => [{ room: channel.replace(':', '/') }],
  targets: ({ room }) => [room!.replace('/', ':')],
  receiverOf: ({ room }) => `channel/${room}`,
  linksFiles: files => files.length > 0,
  identity: ({ room }) => [room],
  async send({ submission, destination: { room }, copy, idempotencyKey }, { board }) {
    const posted = submission.cards.find(card => card.isCopy && board.placeOf(card).includes(room!))
    if (posted) {
      const outcome = await board.update(posted, copy())
      if (outcome.ok || !outcome.gone) return outcome.ok ? { ok: true, value: { card: posted } } : outcome
    }
    const outcome = await board.post(room!, copy(), idempotencyKey)
    return outcome.ok ? { ok: true, value: { card: { ...outcome.value, isCopy: true } } } : outcome
  },
}
