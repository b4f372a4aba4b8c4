import type { ActionEvent, AdapterPostableMessage, EphemeralMessage, ModalElement } from 'chat'
import type { Line } from '../../shared/types/line'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'

export interface PrivatelyHandlers {
  render: (answer: Answer, platform: string) => AdapterPostableMessage
  noticeModal: (message: Line, title: string) => ModalElement
  log: Log
}

/** Says it to the one who clicked, alone; null where the platform has no words for one person. */
export async function whisper(
  { thread, user, adapter }: ActionEvent, message: Line, { render }: Pick<PrivatelyHandlers, 'render'>,
): Promise<EphemeralMessage | null> {
  const said = render({ speech: { text: [message] } }, adapter.name)
  return await thread?.postEphemeral(user, said, { fallbackToDM: false }) ?? null
}

/** Tells the one who clicked and nobody else, as far as the platform can. What is told appears as it stands here. */
export async function tellPrivately(
  event: ActionEvent, message: Line, title: string, handlers: PrivatelyHandlers,
): Promise<void> {
  const { noticeModal, render, log } = handlers
  const { adapter, thread, threadId, messageId } = event
  try {
    let refusal: unknown
    const whispered = await whisper(event, message, handlers).catch((error: unknown) => {
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
