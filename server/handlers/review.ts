import type { ActionEvent, Adapter, Author, Chat, ModalElement, ModalResponse, ModalSubmitEvent } from 'chat'
import type { Decisions } from '../domain/review/decisions'
import type { Marks } from '../domain/fields/edits'
import type { EditForm, SendAgainForm } from '../ports/board'
import { UnreadableRecord } from '../ports/store'
import type { Person } from '../ports/submission'
import type { DecisionResult } from '../ports/submission-access'
import {
  ACTIONS, BUTTONS, INPUT_ACTIONS, isInputRequired, opensForm, type CardActionId, type InputAction,
} from '../../shared/actions'
import { formTitle, type Texts } from '../../shared/texts'
import { plainText } from '../../shared/utils/line'
import { visible } from '../../shared/utils/text'
import { withinOrNull } from '../../shared/utils/time'
import {
  tellPrivately, replyPrivately, type Here, type PrivatelyHandlers, senderOf, type IncomingEvent, type SpeakerHandlers,
} from './speaker'

export interface ReviewHandlers extends PrivatelyHandlers, SpeakerHandlers {
  decisions: Decisions
  here: Here
  /** Id of a click, the same when the platform sends it again; undefined if the platform has none. */
  pressOf: (event: ActionEvent) => string | undefined
  /** Null if the platform has no modals. */
  editModal: (form: EditForm, platform: string) => ModalElement | null
  sendAgainModal: (form: SendAgainForm, platform: string) => ModalElement | null
  texts: Texts
}

/** Format of a submission id. On some platforms, clients may send any text as the content of a button or form. */
const ID = /^[\w-]{1,80}$/

/** Actions whose buttons open a form. A form has the id of its button. */
const FORM_ACTIONS = new Map<string, InputAction>(INPUT_ACTIONS.map(action => [ACTIONS[action].card!.id, action]))

/** Registers the buttons of cards and their forms. Clicks without a valid submission id have no effect. */
export function registerReview(bot: Chat, handlers: ReviewHandlers): void {
  const { decisions, here: resolveScope, pressOf, editModal, sendAgainModal, noticeModal, texts, log } = handlers
  const isRepeated = createRepeatDetector()
  /** Tells the person why a click had no effect. */
  const tell = async (event: ActionEvent, result: DecisionResult) => {
    if (result.kind === 'forbidden') {
      await tellPrivately(event, result.message, texts(`card.refusal.title.${result.reason}`), handlers)
    }
    if (result.kind !== 'unchanged' || isRepeated(event)) return
    await tellPrivately(event, result.message, texts('card.refusal.title.unchanged'), handlers)
  }

  const handleClick = async (event: ActionEvent, action: CardActionId, id: string) => {
    const { adapter, adapter: { name: platform }, threadId, messageId } = event
    const press = { card: { platform, threadId, messageId }, press: pressOf(event) }
    const attempt = { id, place: await resolveScope(threadId, adapter), press }
    if (opensForm(action)) {
      const form = await decisions.open({ ...attempt, action, person: personOf(event, handlers) })
      if (form && 'kind' in form) return tell(event, form)
      const modal = form && ('to' in form ? sendAgainModal(form, platform) : editModal(form, platform))
      if (modal) return event.openModal({ ...modal, privateMetadata: createMetadata(id, threadId, modal) })
      if (isInputRequired(action)) return
    }
    await tell(event, await decisions.decide({ ...attempt, action, person: reviewerOf(event, handlers) }))
  }

  /** Returns the reason why a click failed. For an unreadable record, another click would fail, too. */
  const describeFailure = (error: unknown, key: 'failed' | 'notSaved') => (
    texts(`card.refusal.${error instanceof UnreadableRecord ? 'unreadable' : key}`)
  )

  for (const [button, action] of Object.entries(BUTTONS)) {
    bot.onAction(button, async (event) => {
      const { value: id, adapter, thread } = event
      if (!id || !ID.test(id) || !thread) return
      await handleClick(event, action, id).catch(async (error: unknown) => {
        log.error('review.failed', { action: button, submission: id, platform: adapter.name, error })
        // Tell only the person who clicked.
        await replyPrivately(event, describeFailure(error, 'failed'), handlers.render).catch(() => {})
      })
    })
  }

  const handleSubmit = async (event: ModalSubmitEvent): Promise<ModalResponse> => {
    const { callbackId, values, viewId, adapter } = event
    const { id, threadId, shown } = readForm(event)
    const place = await resolveScope(threadId, adapter)
    const attempt = { id, place, person: reviewerOf(event, handlers), press: { press: viewId } }
    const action = FORM_ACTIONS.get(callbackId)!
    const result = await decisions.decide(action === 'edit'
      ? { ...attempt, action, values, shown }
      // Empty if the previous addresses did not fit into the input: use them.
      : { ...attempt, action, to: values.to || undefined })
    if (result.kind === 'done') return { action: 'close' }
    if (result.kind === 'invalid') return { action: 'errors', errors: result.errors }
    // Keep the form open: the person may send it again unchanged.
    const isTaken = result.kind === 'forbidden' && result.reason === 'taken'
    if (isTaken) return { action: 'errors', errors: errorOnFirstInput(event, plainText(result.message)) }
    return { action: 'update', modal: noticeModal(result.message, formTitle(action, texts)) }
  }

  bot.onModalSubmit([...FORM_ACTIONS.keys()], event => handleSubmit(event).catch((error: unknown): ModalResponse => {
    log.error('review.failed', { action: `${event.callbackId}-submit`, error })
    return { action: 'errors', errors: errorOnFirstInput(event, describeFailure(error, 'notSaved')) }
  }))
}

/** Pause before a person who keeps clicking too late gets another message, ms: platforms limit messages. */
const REPEAT_MS = 3000
const MOST_CLICKS = 1000

/** Detects clicks on a button that the same person clicked a moment ago. */
function createRepeatDetector(): (event: ActionEvent) => boolean {
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

/** An error on the first input keeps the form open with everything that was typed. */
function errorOnFirstInput({ values }: ModalSubmitEvent, text: string): Record<string, string> {
  const [inputId = 'f0'] = Object.keys(values)
  return { [inputId]: text }
}

/** Metadata of an open form: the submission's id, the thread it was opened in, and hashes of its texts. */
function createMetadata(id: string, threadId: string, { privateMetadata = '' }: ModalElement): string {
  return `${id} ${threadId} ${privateMetadata}`.trim()
}

/**
 * Reads a form's submission id, thread and hashes. Takes the thread from the request if the adapter gives `threadId`,
 * otherwise from the metadata, which such platforms sign. Does not use the SDK's own memory: it works only once, but a
 * refused form is sent again.
 */
function readForm(
  { privateMetadata = '', threadId, relatedThread }: ModalSubmitEvent & { threadId?: string },
): { id: string, threadId: string, shown: Marks } {
  const [id = '', openedThreadId = relatedThread?.id ?? '', ...markTexts] = privateMetadata.split(' ')
  const shownMarks = new Map(markTexts.map(mark => mark.split('.') as [string, string]))
  return { id: ID.test(id) ? id : '', threadId: threadId ?? openedThreadId, shown: shownMarks }
}

/** The person who clicked, by full name if it comes in time. */
export async function reviewerOf(event: IncomingEvent, handlers: SpeakerHandlers): Promise<Person> {
  return { ...personOf(event, handlers), name: await fullNameOf(event) }
}

/** The person who clicked, by the name in the click. @throws Error for a click without a user, even if it is signed */
function personOf(event: IncomingEvent, handlers: SpeakerHandlers): Person {
  const { userId: id } = event.user
  if (typeof id !== 'string' || id === '') throw new Error('The platform does not say who clicked.')
  return senderOf(event, handlers)
}

/** Max wait for the full name after a click, ms; after that the payload's user name is used. */
const PATIENCE_MS = 800

/** Full name of the person who clicked: Slack's payloads have the user name only. */
export async function fullNameOf({ adapter, user }: { adapter: Adapter, user: Author }): Promise<string> {
  const lookup = adapter.getUser?.(user.userId)
  const profile = lookup && await withinOrNull(PATIENCE_MS, lookup).catch(() => null)
  return visible(profile?.fullName ?? user.fullName)
}
