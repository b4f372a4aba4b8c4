import { withinOrNull } from '../../../../shared/utils/time'
import { parseFormId } from './form'
import {
  button, INTERACTION, isFromPrivateMessage, later, privately, REPLY, actionRow, silence, type Interaction, type Reply,
} from '../interactions'

/**
 * Discord waits 3 s for the first answer, of which the network takes some.
 *
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
const ANSWER_WITHIN_MS = 2500

/** Sends data through the interaction's webhook: `POST` a new private message, `PATCH` the one that was clicked. */
export type FollowUp = (interaction: Interaction, method: 'POST' | 'PATCH', data: object) => Promise<void>

/** One interaction and what is said about it: the first word is its answer, everything later a private message. */
export class Exchange {
  private readonly first = Promise.withResolvers<Reply>()
  private answered = false

  constructor(readonly interaction: Interaction, private readonly followUp: FollowUp) {}

  async say(reply: Reply): Promise<void> {
    if (this.answered) return this.follow(reply)
    this.answered = true
    this.first.resolve(reply)
  }

  /** The first word, or silence when `work` ends or takes too long without one; a command is told to wait instead. */
  async answer(work: Promise<unknown>): Promise<Reply> {
    await withinOrNull(ANSWER_WITHIN_MS, Promise.race([this.first.promise, work]))
    // The message that follows takes the place of what announced it.
    if (!this.answered) await this.say(this.interaction.type === INTERACTION.command ? later : silence)
    return this.first.promise
  }

  private async follow(reply: Reply): Promise<void> {
    const isOurs = isFromPrivateMessage(this.interaction)
    switch (reply.type) {
      case REPLY.message: return this.followUp(this.interaction, 'POST', reply.data)
      case REPLY.update: return this.followUp(this.interaction, isOurs ? 'PATCH' : 'POST', reply.data)
      case REPLY.modal: return this.follow(reopening(reply.data.custom_id))
    }
  }
}

/** A modal can only answer: when that is too late, one more click opens it. */
function reopening(customId: string): Reply {
  const id = parseFormId(customId)?.id ?? ''
  return privately('The form took a moment.', [actionRow(button('Open the form', `chat-form:${id}:open`, 1))])
}
