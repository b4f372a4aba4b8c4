import type {
  ActionEvent, Adapter, AdapterPostableMessage, Author, EphemeralMessage, Message, ModalElement, Thread,
} from 'chat'
import type { RichText } from '../../shared/types/line'
import { visible } from '../../shared/utils/text'
import type { Scope } from '../ports/board'
import type { BotAnswer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { Person, PersonNames } from '../ports/submission'

/** Sender of an event, with the raw request */
export interface IncomingEvent {
  adapter: Adapter
  user: Author
  raw: unknown
}

export type Render = (answer: BotAnswer, platform: string) => AdapterPostableMessage

/** Returns the room that a current event comes from, with all its names, according to the signed request. */
export type Here = (threadId: string, adapter: Adapter) => Promise<Scope>

export interface SpeakerHandlers {
  platformLabel: (key: string) => string
  /** All names that a list may use for the sender, according to the signed request. */
  known: (event: IncomingEvent) => PersonNames
}

/** The sender, by the name that came with the event. */
export function senderOf(event: IncomingEvent, { platformLabel, known: namesOf }: SpeakerHandlers): Person {
  const { adapter, user: { userId: id, fullName } } = event
  return { id, name: visible(fullName), platform: platformLabel(adapter.name), ...namesOf(event) }
}

/** The author of a message */
export function speakerOf({ author, raw }: Message, { adapter }: Thread, handlers: SpeakerHandlers): Person {
  return senderOf({ user: author, raw, adapter }, handlers)
}

export interface PrivatelyHandlers {
  render: Render
  noticeModal: (message: RichText, title: string) => ModalElement
  log: Log
}

/** Replies only to the person who clicked; null if the platform has no private messages. */
export async function replyPrivately(
  { thread, user, adapter }: ActionEvent, message: RichText, render: Render,
): Promise<EphemeralMessage | null> {
  const reply = render({ speech: { text: [message] } }, adapter.name)
  return await thread?.postEphemeral(user, reply, { fallbackToDM: false }) ?? null
}

/** Tells only the person who clicked, as far as the platform can. The message appears exactly as given. */
export async function tellPrivately(
  event: ActionEvent, message: RichText, title: string, handlers: PrivatelyHandlers,
): Promise<void> {
  const { noticeModal, render, log } = handlers
  const { adapter, thread, threadId, messageId } = event
  try {
    let refusal: unknown
    const privateMessage = await replyPrivately(event, message, render).catch((error: unknown) => {
      refusal = error
      return null
    })
    if (privateMessage ?? await event.openModal(noticeModal(message, title))) return
    // Don't post a refused private message for everybody.
    if (refusal && !thread?.isDM) throw refusal
    const reply = render({ speech: { text: [message] } }, adapter.name)
    await (adapter.reply?.(threadId, messageId, reply) ?? thread?.post(reply))
  }
  catch (error) {
    log.warn('notice.lost', { platform: adapter.name, error })
  }
}
