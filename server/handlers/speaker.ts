import type { ActionEvent, Message, Thread, AdapterPostableMessage, EphemeralMessage, ModalElement } from 'chat'
import type { RichText } from '../../shared/types/line'
import { visible } from '../../shared/utils/text'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { Person } from '../ports/submission'

/** Who sent something, and how. */
export type IncomingEvent = Pick<ActionEvent, 'adapter' | 'user' | 'raw'>

export interface SpeakerHandlers {
  platformLabel: (key: string) => string
  /** Who sent something, by its signed request: every name that a list may have for them. */
  known: (sent: IncomingEvent) => Pick<Person, 'names' | 'person'>
}

/** Who sent something, by the name that came with it. */
export function senderOf(sent: IncomingEvent, { platformLabel, known }: SpeakerHandlers): Person {
  const { adapter, user: { userId: id, fullName } } = sent
  return { id, name: visible(fullName), platform: platformLabel(adapter.name), ...known(sent) }
}

/** Who said something. */
export function speakerOf({ author, raw }: Message, { adapter }: Thread, handlers: SpeakerHandlers): Person {
  return senderOf({ user: author, raw, adapter }, handlers)
}

export interface PrivatelyHandlers {
  render: (answer: Answer, platform: string) => AdapterPostableMessage
  noticeModal: (message: RichText, title: string) => ModalElement
  log: Log
}

/** Says it to the one who clicked, alone; null where the platform has no words for one person. */
export async function replyPrivately(
  { thread, user, adapter }: ActionEvent, message: RichText, { render }: Pick<PrivatelyHandlers, 'render'>,
): Promise<EphemeralMessage | null> {
  const said = render({ speech: { text: [message] } }, adapter.name)
  return await thread?.postEphemeral(user, said, { fallbackToDM: false }) ?? null
}

/** Tells the one who clicked and nobody else, as far as the platform can. What is told appears as it stands here. */
export async function tellPrivately(
  event: ActionEvent, message: RichText, title: string, handlers: PrivatelyHandlers,
): Promise<void> {
  const { noticeModal, render, log } = handlers
  const { adapter, thread, threadId, messageId } = event
  try {
    let refusal: unknown
    const whispered = await replyPrivately(event, message, handlers).catch((error: unknown) => {
      refusal = error
      return null
    })
    if (whispered ?? await event.openModal(noticeModal(message, title))) return
    // Not for everybody to read.
    if (refusal && !thread?.isDM) throw refusal
    const said = render({ speech: { text: [message] } }, adapter.name)
    await (adapter.reply?.(threadId, messageId, said) ?? thread?.post(said))
  }
  catch (error) {
    log.warn('notice.lost', { platform: adapter.name, error })
  }
}
