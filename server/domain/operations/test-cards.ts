import { z } from 'zod'
import type { TestCardsSent } from '../../../shared/types/setup'
import { english } from '../../../shared/texts'
import { exactTime } from '../../../shared/utils/line'
import type { Limiter } from '../../ports/limiter'
import type { Context } from '../context'
import { TEST_CLICK } from '../conversation/texts'
import { InvalidRequest, TooManyTests } from '../errors'
import { orUnavailable } from '../queries/rows'
import { noteOf } from './monitor'

const requestSchema = z.object({ platform: z.string() })

/**
 * Sends a test card to every room of a platform. The card proves that cards arrive; a click on its button proves that
 * clicks arrive.
 */
export class TestCards {
  constructor(private readonly context: Context, private readonly limiter: Limiter) {}

  /** @throws InvalidRequest, TooManyTests, StoreUnavailable while test cards cannot be counted */
  async send(body: unknown): Promise<TestCardsSent> {
    const { board, forms, texts = english, runtime, monitor } = this.context
    const platform = requestSchema.safeParse(body).data?.platform
    const rooms = forms.rooms.filter(room => room.split('/')[0] === platform)
    if (rooms.length === 0) throw new InvalidRequest('No cards go to this platform. Name one that is configured.')
    const waitMs = await orUnavailable(this.limiter.take(`test-cards:${platform}`))
    if (waitMs > 0) throw new TooManyTests('test cards', this.limiter.limit, waitMs)
    // The time makes each text unique: platforms treat the same text as the same message.
    const text = texts('card.notice.test', { at: exactTime(runtime.now()) })
    return { rooms: await Promise.all(rooms.map(async (room) => {
      const outcome = await board.announce(room, text, null, TEST_CLICK)
      monitor.probed(noteOf({ kind: 'post', room }), outcome)
      const roomForms = forms.all.filter(form => form.rooms.includes(room))
      return {
        forms: roomForms.map(({ name, key }) => name ?? key ?? null), reason: outcome.ok ? null : outcome.reason,
      }
    })) }
  }
}
