import type { ActionEvent, Adapter, Chat, ModalElement, ModalResponse, ModalSubmitEvent } from 'chat'
import { UNREADABLE } from '../domain/errors'
import type { Click } from '../domain/submission/desk'
import type { Marks } from '../domain/submission/fields'
import type { Review } from '../domain/submission/review'
import type { EditForm, Place, SendAgainForm } from '../ports/board'
import type { Log } from '../ports/runtime'
import { Unreadable } from '../ports/store'
import type { Person } from '../ports/submission'
import type { ClaimResult } from '../ports/submission-access'
import { plain } from '../../shared/utils/line'
import { visible } from '../../shared/utils/text'
import { withinOrNull } from '../../shared/utils/time'
import { tellPrivately, whisper, type PrivatelyHandlers } from './privately'
import { senderOf, type Sent, type SpeakerHandlers } from './speaker'

export interface ReviewHandlers extends PrivatelyHandlers, SpeakerHandlers {
  /** What may be reviewed at a place. */
  reviewAt: (place: Place) => Review
  /** Where an event that is being handled comes from, by its signed request. */
  here: (threadId: string, adapter: Adapter) => Promise<Place>
  /** What the platform calls a click, also when it is sent again; undefined where it does not say. */
  pressOf: (event: ActionEvent) => string | undefined
  /** Null where the platform has no modals. */
  editModal: (form: EditForm, platform: string) => ModalElement | null
  sendAgainModal: (form: SendAgainForm, platform: string) => ModalElement | null
}

/** What may be a submission's id: clients choose what some platforms' buttons and forms carry. */
const ID = /^[\w-]{1,80}$/

const FAILED = 'That did not work just now. Nothing is lost: press the button again in a moment.'

/** Why the effect of a click failed: of what cannot be read it would again. */
const whyNot = (error: unknown, otherwise: string) => (
  error instanceof Unreadable ? `${UNREADABLE} It cannot be decided. The log of the service names it.` : otherwise
)

/** Above what somebody reads alone, and why. */
const TITLES = {
  unlisted: 'Not for you to decide', unknown: 'Not decided', taken: 'Somebody has it', elsewhere: 'Another channel',
} as const

/** The buttons of cards and their forms. A click that is about nothing has no effect. */
export function registerReview(bot: Chat, handlers: ReviewHandlers): void {
  const { reviewAt, here, editModal, sendAgainModal, noticeModal, log } = handlers
  const reviewOf = async ({ adapter }: ActionEvent | ModalSubmitEvent, threadId: string) => (
    reviewAt(await here(threadId, adapter))
  )
  const isRepeated = repeatedClicks()
  /** Says why nothing came of a click. */
  const tell = async (event: ActionEvent, result: ClaimResult) => {
    if (result.claimed || result.isSilent || (!result.forbidden && isRepeated(event))) return
    const title = result.forbidden ? TITLES[result.forbidden] : 'Nothing changed'
    await tellPrivately(event, result.message, title, handlers)
  }

  bot.onAction(['forward', 'spam'], event => answered(event, handlers, async (id) => {
    const review = await reviewOf(event, event.threadId)
    await tell(event, await review.decide(
      id, event.actionId === 'spam' ? 'spam' : 'forward', reviewerOf(event, handlers), clickOf(event, handlers),
    ))
  }))

  bot.onAction(['take', 'hand_back'], event => answered(event, handlers, async (id) => {
    const { taking } = await reviewOf(event, event.threadId)
    const [person, click] = [reviewerOf(event, handlers), clickOf(event, handlers)]
    await tell(event, await (
      event.actionId === 'take' ? taking.take(id, person, click) : taking.handBack(id, person, click)
    ))
  }))

  bot.onAction(['undo', 'not_spam'], event => answered(event, handlers, async (id) => {
    const review = await reviewOf(event, event.threadId)
    await tell(event, await review.revoke(
      id, event.actionId === 'undo' ? 'forward' : 'spam', reviewerOf(event, handlers), clickOf(event, handlers),
    ))
  }))

  bot.onAction('edit', event => answered(event, handlers, async (id) => {
    const form = await (await reviewOf(event, event.threadId)).edit(
      id, personOf(event, handlers), clickOf(event, handlers),
    )
    if ('claimed' in form) return tell(event, form)
    const modal = editModal(form, event.adapter.name)
    if (modal) await event.openModal({ ...modal, privateMetadata: openedAt(id, event.threadId, modal) })
  }))

  bot.onAction('send_again', event => answered(event, handlers, async (id) => {
    const review = await reviewOf(event, event.threadId)
    const form = await review.sendAgainForm(id, personOf(event, handlers), clickOf(event, handlers))
    if (form && 'claimed' in form) return tell(event, form)
    const modal = form && sendAgainModal(form, event.adapter.name)
    if (modal) await event.openModal({ ...modal, privateMetadata: openedAt(id, event.threadId, modal) })
    else {
      const result = await review.sendAgain(id, undefined, reviewerOf(event, handlers), clickOf(event, handlers))
      // There is no input that could be wrong.
      if (!('errors' in result)) await tell(event, result)
    }
  }))

  const submitted = (
    event: ModalSubmitEvent, title: string,
    decide: (review: Review, id: string, reviewer: Person) => ReturnType<Review['decideEdited']>,
  ) => taken(event, log, async (id, threadId) => {
    const result = await decide(await reviewOf(event, threadId), id, await reviewerOf(event, handlers))
    if ('errors' in result) return { action: 'errors', errors: result.errors }
    // The form stays open: they may send it again as it is.
    const isTaken = !result.claimed && result.forbidden === 'taken'
    if (isTaken) return { action: 'errors', errors: atFirst(event, plain(result.message)) }
    return result.claimed ? { action: 'close' } : { action: 'update', modal: noticeModal(result.message, title) }
  })

  bot.onModalSubmit('edit', event => submitted(event, 'Edit & Forward', (review, id, reviewer) => (
    review.decideEdited(id, event.values, reviewer, { press: event.viewId, shown: readForm(event).shown })
  )))

  bot.onModalSubmit('send_again', event => submitted(event, 'Send again', (review, id, reviewer) => (
    // Empty where the same addresses were too many for the input.
    review.sendAgain(id, event.values.to || undefined, reviewer, { press: event.viewId })
  )))
}

/** How long a person who goes on clicking too late is not told again, ms: platforms limit what they take. */
const REPEAT_MS = 3000
const MOST_CLICKS = 1000

/** Tells whether somebody clicked the same button a moment ago. */
function repeatedClicks(): (event: ActionEvent) => boolean {
  const clickedAt = new Map<string, number>()
  return ({ adapter, user, threadId, messageId, actionId, value }) => {
    const click = [adapter.name, user.userId, threadId, messageId, actionId, value].join()
    const now = Date.now()
    const isRepeated = now - (clickedAt.get(click) ?? 0) < REPEAT_MS
    if (clickedAt.size >= MOST_CLICKS) clickedAt.clear()
    if (!isRepeated) clickedAt.set(click, now)
    return isRepeated
  }
}

/** Runs the effect of a form; what goes wrong keeps it open. */
async function taken(
  event: ModalSubmitEvent, log: Log, act: (id: string, threadId: string) => Promise<ModalResponse>,
): Promise<ModalResponse> {
  try {
    const { id, threadId } = readForm(event)
    return await act(id, threadId)
  }
  catch (error) {
    log.error('review.failed', { action: `${event.callbackId}-submit`, error })
    const text = whyNot(error, 'This could not be saved. Nothing is lost: press Forward again in a moment.')
    return { action: 'errors', errors: atFirst(event, text) }
  }
}

/** An error on the first input keeps the form open with everything that was typed. */
function atFirst({ values }: ModalSubmitEvent, text: string): Record<string, string> {
  const [first = 'f0'] = Object.keys(values)
  return { [first]: text }
}

/** Runs a click's effect; what goes wrong is told to the one who clicked, and nobody else. */
async function answered(
  event: ActionEvent, handlers: PrivatelyHandlers, act: (id: string) => Promise<void>,
): Promise<void> {
  if (!event.value || !ID.test(event.value) || !event.thread) return
  try {
    await act(event.value)
  }
  catch (error) {
    handlers.log.error('review.failed', {
      action: event.actionId, submission: event.value, platform: event.adapter.name, error,
    })
    await whisper(event, whyNot(error, FAILED), handlers).catch(() => {})
  }
}

/** What an open form carries: which submission it is of, where it was opened, and the marks of what it shows. */
function openedAt(id: string, threadId: string, { privateMetadata = '' }: ModalElement): string {
  return `${id} ${threadId} ${privateMetadata}`.trim()
}

/**
 * What a form that was sent is about, and where it comes from: where it was sent, as adapters say by `threadId` when
 * the request tells it; else where it was opened, because such platforms sign what the form carries. What the SDK
 * remembers serves once only, and a form that is refused is sent again.
 */
function readForm(
  { privateMetadata = '', threadId, relatedThread }: ModalSubmitEvent & { threadId?: string },
): { id: string, threadId: string, shown: Marks } {
  const [id = '', opened = relatedThread?.id ?? '', ...marks] = privateMetadata.split(' ')
  const shown = new Map(marks.map(mark => mark.split('.') as [string, string]))
  return { id: ID.test(id) ? id : '', threadId: threadId ?? opened, shown }
}

function clickOf(event: ActionEvent, { pressOf }: ReviewHandlers): Click {
  return {
    card: { platform: event.adapter.name, threadId: event.threadId, messageId: event.messageId }, press: pressOf(event),
  }
}

/** Who clicked, by full name where it can be had in time. */
export async function reviewerOf(event: Sent, handlers: SpeakerHandlers): Promise<Person> {
  return { ...personOf(event, handlers), name: await fullNameOf(event) }
}

/** Who clicked, by the name that came with the click. @throws Error for a click of nobody, whatever signed it */
function personOf(event: Sent, handlers: SpeakerHandlers): Person {
  const { userId: id } = event.user
  if (typeof id !== 'string' || id === '') throw new Error('The platform does not say who clicked.')
  return senderOf(event, handlers)
}

/** How long a click waits for the full name, ms; the payload's user name serves after that. */
const PATIENCE_MS = 800

/** The full name of who clicked: Slack's payloads have the user name only. */
export async function fullNameOf({ adapter, user }: Pick<Sent, 'adapter' | 'user'>): Promise<string> {
  const asked = adapter.getUser?.(user.userId)
  const known = asked && await withinOrNull(PATIENCE_MS, asked).catch(() => null)
  return visible(known?.fullName ?? user.fullName)
}
