import type { ActionEvent, Adapter, Chat, ModalElement, ModalResponse, ModalSubmitEvent } from 'chat'
import type { Click, Review } from '../domain/submission/review'
import type { EditForm, Place } from '../ports/board'
import type { Log } from '../ports/runtime'
import type { Reviewer } from '../ports/submission'
import { visible } from '../../shared/utils/text'

export interface ReviewHandlers {
  /** What may be reviewed at a place. */
  reviewAt: (place: Place) => Review
  /** Where an event that is being handled comes from, by its signed request. */
  here: (threadId: string, adapter: Adapter) => Promise<Place>
  /** What the platform calls a click, also when it is sent again; undefined where it does not say. */
  pressOf: (event: ActionEvent) => string | undefined
  /** Null where the platform has no modals. */
  editModal: (form: EditForm, platform: string) => ModalElement | null
  noticeModal: (message: string) => ModalElement
  platformLabel: (key: string) => string
  log: Log
}

/** What may be a submission's id: clients choose what some platforms' buttons and forms carry. */
const ID = /^[\w-]{1,80}$/

/** The three buttons and the edit form. A click that is about nothing has no effect. */
export function registerReview(bot: Chat, handlers: ReviewHandlers): void {
  const { reviewAt, here, editModal, noticeModal, log } = handlers
  const reviewOf = async ({ adapter }: ActionEvent | ModalSubmitEvent, threadId: string) => (
    reviewAt(await here(threadId, adapter))
  )

  bot.onAction(['forward', 'spam'], event => answered(event, log, async (id) => {
    const review = await reviewOf(event, event.threadId)
    await review.decide(
      id, event.actionId === 'spam' ? 'spam' : 'forward', reviewerOf(event, handlers), clickOf(event, handlers),
    )
  }))

  bot.onAction('edit', event => answered(event, log, async (id) => {
    const form = await (await reviewOf(event, event.threadId)).edit(id)
    const modal = form && editModal(form, event.adapter.name)
    if (modal) await event.openModal({ ...modal, privateMetadata: openedAt(id, event.threadId) })
  }))

  bot.onModalSubmit('edit', async (event): Promise<ModalResponse> => {
    try {
      const { id, threadId } = readForm(event)
      const result = await (await reviewOf(event, threadId)).decideEdited(
        id, event.values, await reviewerOf(event, handlers), event.viewId,
      )
      if ('errors' in result) return { action: 'errors', errors: result.errors }
      return result.claimed ? { action: 'close' } : { action: 'update', modal: noticeModal(result.message) }
    }
    catch (error) {
      log.error('review.failed', { action: 'edit-submit', error })
      // An error on the first input keeps the form open with everything that was typed.
      const [first = 'f0'] = Object.keys(event.values)
      return { action: 'errors', errors: {
        [first]: 'This could not be saved. Nothing is lost: press Forward again in a moment.',
      } }
    }
  })
}

/** Runs a click's effect; what goes wrong is told to the one who clicked, and nobody else. */
async function answered(event: ActionEvent, log: Log, act: (id: string) => Promise<void>): Promise<void> {
  if (!event.value || !ID.test(event.value) || !event.thread) return
  try {
    await act(event.value)
  }
  catch (error) {
    log.error('review.failed', { action: event.actionId, submission: event.value, platform: event.adapter.name, error })
    await event.thread.postEphemeral(
      event.user, 'That did not work just now. Nothing is lost: press the button again in a moment.',
      { fallbackToDM: false },
    ).catch(() => {})
  }
}

/** What an open form carries: which submission it is of, and where it was opened. */
function openedAt(id: string, threadId: string): string {
  return `${id} ${threadId}`
}

/**
 * What a form that was sent is about, and where it comes from: where it was sent, as adapters say by `threadId` when
 * the request tells it; else where it was opened, because such platforms sign what the form carries. What the SDK
 * remembers serves once only, and a form that is refused is sent again.
 */
function readForm(
  { privateMetadata = '', threadId, relatedThread }: ModalSubmitEvent & { threadId?: string },
): { id: string, threadId: string } {
  const [id = '', opened = relatedThread?.id ?? ''] = privateMetadata.split(' ')
  return { id: ID.test(id) ? id : '', threadId: threadId ?? opened }
}

function clickOf(event: ActionEvent, { pressOf }: ReviewHandlers): Click {
  return {
    card: { platform: event.adapter.name, threadId: event.threadId, messageId: event.messageId }, press: pressOf(event),
  }
}

/** Who clicked, by full name where it can be had in time. */
export async function reviewerOf(
  event: ActionEvent | ModalSubmitEvent, { platformLabel }: Pick<ReviewHandlers, 'platformLabel'>,
): Promise<Reviewer> {
  return { id: event.user.userId, name: await fullNameOf(event), platform: platformLabel(event.adapter.name) }
}

/** How long a click waits for the full name, ms; the payload's user name serves after that. */
const PATIENCE_MS = 800

/** The full name of who clicked: Slack's payloads have the user name only. */
export async function fullNameOf({ adapter, user }: ActionEvent | ModalSubmitEvent): Promise<string> {
  const known = await Promise.race([
    adapter.getUser?.(user.userId).catch(() => null),
    new Promise<null>(resolve => setTimeout(resolve, PATIENCE_MS, null).unref()),
  ])
  return visible(known?.fullName ?? user.fullName)
}
