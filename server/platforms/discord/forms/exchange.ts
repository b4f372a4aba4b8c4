import { withinOrNull } from '../../../../shared/utils/time'
import { parseFormId } from './form'
import {
  button, INTERACTION, isFromPrivateMessage, later, privately, REPLY, actionRow, silence, type Interaction, type Reply,
} from '../interactions'

/**
 * Max wait for the first answer, ms. Discord waits 3 s, some of which the network takes.
 *
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
const ANSWER_WITHIN_MS = 2500

/** Sends data through the interaction's webhook: `POST` a new private message, `PATCH` the clicked one. */
export type FollowUp = (interaction: Interaction, method: 'POST' | 'PATCH', data: object) => Promise<void>

/** One interaction and our replies. The first one answers it; later ones go out as follow-ups. */
export class Exchange {
  private readonly firstReply = Promise.withResolvers<Reply>()
  private isAnswered = false

  constructor(readonly interaction: Interaction, private readonly followUp: FollowUp) {}

  async say(reply: Reply): Promise<void> {
    if (this.isAnswered) return this.sendFollowUp(reply)
    this.isAnswered = true
    this.firstReply.resolve(reply)
  }

  /** Returns the first reply. If `work` ends or takes too long without one: `later` for a command, else silence. */
  async answer(work: Promise<unknown>): Promise<Reply> {
    await withinOrNull(ANSWER_WITHIN_MS, Promise.race([this.firstReply.promise, work]))
    // The message that follows replaces the placeholder of `later`.
    if (!this.isAnswered) await this.say(this.interaction.type === INTERACTION.command ? later : silence)
    return this.firstReply.promise
  }

  private async sendFollowUp(reply: Reply): Promise<void> {
    const isOurs = isFromPrivateMessage(this.interaction)
    switch (reply.type) {
      case REPLY.message: return this.followUp(this.interaction, 'POST', reply.data)
      case REPLY.update: return this.followUp(this.interaction, isOurs ? 'PATCH' : 'POST', reply.data)
      case REPLY.modal: return this.sendFollowUp(askToReopen(reply.data.custom_id))
    }
  }
}

/** Asks for another click: only the first answer can open a modal. */
function askToReopen(customId: string): Reply {
  const id = parseFormId(customId)?.id ?? ''
  return privately('The form took too long to load. Press the button to open it.', [actionRow(button('Open the form', `chat-form:${id}:open`, 1))])
}
