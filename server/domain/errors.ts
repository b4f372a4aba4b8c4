import { SUBMISSION_TTL_MS, inDays } from '../../shared/lifetimes'
import type { RichText } from '../../shared/types/line'
import { english } from '../../shared/texts'
import { plainText } from '../../shared/utils/line'
import { counted } from '../../shared/utils/text'
import type { FieldProblem } from '../ports/field-rules'
import { StoreFull } from '../ports/store'

/** An error with a stable `code`; `http/errors.ts` turns it into a status. */
export class DomainError extends Error {
  /** @param line what went wrong; the message gives times in UTC */
  constructor(readonly code: string, readonly line: RichText, options?: ErrorOptions) {
    super(plainText(line), options)
    this.name = new.target.name
  }
}

/** Base class for errors with one code and a message of their own */
function createErrorClass(code: string) {
  return class extends DomainError {
    constructor(line: RichText) {
      super(code, line)
    }
  }
}

const STORE_FULL_TEXT = 'The store is full, so nothing was saved. Give it more room (maxmemory of Redis, or space on the disk), or erase submissions that nobody needs; then try again.'

/** The store did not answer in time: nothing was posted and, as far as we know, nothing was stored. */
export class StoreUnavailable extends DomainError {
  constructor(
    cause: unknown,
    message = 'The store does not answer, so the form may not have been saved. Send it again in a moment; an Idempotency-Key makes that safe.',
  ) {
    super('STORE_UNAVAILABLE', cause instanceof StoreFull ? STORE_FULL_TEXT : message, { cause })
  }
}

/** The body is not a form submission. */
export class InvalidSubmission extends createErrorClass('INVALID_SUBMISSION') {}

/** A browser sent a form in which nothing is filled in. */
export class EmptyForm extends DomainError {
  constructor() {
    super('EMPTY_FORM', 'No field is filled in. JSON may be empty; a form that a browser sends may not.')
  }
}

/** Some fields do not match the form. */
export class InvalidFields extends DomainError {
  constructor(readonly problems: readonly FieldProblem[]) {
    super('INVALID_FIELDS', 'Some values do not fit this form. `fields` says for each key what to change.')
  }
}

/** The client has reached its limit for a window of time: nothing was done. */
export class TooMany extends DomainError {
  /** Time until the window ends, s. */
  readonly retryAfterS: number

  constructor(code: string, waitMs: number, message: (seconds: number) => string) {
    const seconds = Math.ceil(waitMs / 1000)
    super(code, message(seconds))
    this.retryAfterS = seconds
  }
}

/** The sender has sent too many forms in this window: nothing was stored. */
export class TooManyForms extends TooMany {
  constructor(limit: number, waitMs: number) {
    super('TOO_MANY_FORMS', waitMs, seconds => (
      `More than ${counted(limit, 'form')} a minute came from your address. Nothing was saved; send the form again in ${seconds} s. The service sets this by FORM_RATE_LIMIT and, behind a proxy, TRUST_PROXY.`
    ))
  }
}

/** The sender has sent too many bytes for now: nothing was stored. */
export class TooManyBytes extends TooMany {
  /** @param variable environment variable that sets the limit */
  constructor(limitMb: number, kind: 'files' | 'forms', variable: string, waitMs: number) {
    super('TOO_MANY_BYTES', waitMs, seconds => (
      `More than ${limitMb} MB of ${kind} an hour came from your address. Nothing was saved; send the form again in ${seconds} s. The service sets this by ${variable} and, behind a proxy, TRUST_PROXY.`
    ))
  }
}

/** Another form was sent with the same idempotency key before: nothing was stored. */
export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super(
      'IDEMPOTENCY_KEY_REUSED',
      'Another form was sent with this Idempotency-Key. Use a new key for each form; only the same form may be sent again with the same key.',
    )
  }
}

/** There are too many files for the form, or they are too large. */
export class FilesTooLarge extends createErrorClass('FILES_TOO_LARGE') {}

/** The form does not accept this type of file. The type is detected from the content, not from the name. */
export class FileTypeRefused extends createErrorClass('FILE_TYPE_NOT_ACCEPTED') {}

/** A file could not be stored, so the form was not stored either. With another `advice`: a file could not be read. */
export class FilesUnavailable extends DomainError {
  constructor(cause: unknown, advice = 'Nothing was saved; send the form again in a moment.') {
    super('FILES_UNAVAILABLE', `The storage for files cannot be reached. ${advice}`, { cause })
  }
}

/** The address of a file is not one of ours. */
export class NoSuchFile extends DomainError {
  constructor() {
    super('NO_SUCH_FILE', 'There is no file at this address. Open it from the card, the email or the page again.')
  }
}

/** The file was erased with the data of its submission. */
export class FileGone extends DomainError {
  constructor() {
    super('FILE_GONE', 'This file does not exist any more: it is erased with the data of its submission.')
  }
}

/** A file that should exist is missing. */
export class FileLost extends DomainError {
  constructor(cause: unknown) {
    super('FILE_LOST', 'The storage does not have this file any more, although its submission is kept.', { cause })
  }
}

/** Too many test emails, or test cards, were sent for now. */
export class TooManyTests extends TooMany {
  constructor(kind: string, limit: number, waitMs: number) {
    super('TOO_MANY_TESTS', waitMs, seconds => (
      `${limit} ${kind} were sent in the last 10 minutes, which is the limit. Send the next one in ${seconds} s.`
    ))
  }
}

/** The human check rejected the sender; a new token may pass. */
export class HumanCheckFailed extends createErrorClass('HUMAN_CHECK_FAILED') {}

/** The human check could not be reached: nothing was stored. */
export class HumanCheckUnavailable extends DomainError {
  constructor() {
    super(
      'HUMAN_CHECK_UNAVAILABLE',
      'The check for human senders cannot be reached. Nothing was saved; send the form again in a moment.',
    )
  }
}

/** The submission was decided, has expired, or never existed. */
export class SubmissionGone extends DomainError {
  constructor() {
    super('SUBMISSION_GONE', `This submission is not here: it was decided, its ${inDays(SUBMISSION_TTL_MS)} have passed, or its id is wrong.`)
  }
}

/** Message for a submission that can only be erased. */
const UNREADABLE = 'This submission cannot be read: it was damaged in the store, or a newer version wrote it.'

/** This version cannot read the stored submission. */
export class SubmissionUnreadable extends DomainError {
  constructor(id: string) {
    super(
      'SUBMISSION_UNREADABLE',
      `${UNREADABLE} It can be neither shown nor decided, only erased: on its page, or by DELETE /api/submissions/${id}. If its card does not change, delete the card in the chat.`,
    )
  }
}

/** The submission was decided, expired or erased; the message tells the outcome from the audit trail. */
export class SubmissionEnded extends createErrorClass('SUBMISSION_ENDED') {
  /** @param submission remaining facts, for callers that asked for the whole submission */
  constructor(line: RichText, readonly submission?: object) {
    super(line)
  }
}

/** Somebody else decided first; the message says who. */
export class AlreadyDecided extends createErrorClass('ALREADY_DECIDED') {}

/** Somebody else is the assignee; the message says who, and what the caller may still do. */
export class AlreadyAssigned extends createErrorClass('TAKEN') {}

/** The person may not decide; the message says who may. */
export class NotAReviewer extends DomainError {
  constructor(line: RichText) {
    super('NOT_A_REVIEWER', line)
  }
}

/** Permissions could not be looked up. */
export class PeopleUnknown extends DomainError {
  constructor(texts = english) {
    super('PEOPLE_UNKNOWN', texts('card.refusal.peopleUnknown'))
  }
}

/** The action is not possible in this state, such as quarantine; the message lists the possible actions. */
export class WrongState extends createErrorClass('WRONG_STATE') {}

/** A mail event arrived before we stored the id of its email: the mail provider will send the event again. */
export class ReceiptTooEarly extends DomainError {
  constructor() {
    super('RECEIPT_TOO_EARLY', 'This email is being sent, and its id is not on record yet. Send the event again.')
  }
}

/** The mail provider refused an email; the message says why. */
export class EmailRefused extends DomainError {
  constructor(message: string) {
    super('EMAIL_REFUSED', message)
  }
}

/** The request is invalid; the message says how to correct it. */
export class InvalidRequest extends createErrorClass('INVALID_REQUEST') {}

/** The bot could not be started in time: the event was not processed, and its platform sends it again. */
export class BotUnavailable extends DomainError {
  constructor(cause: unknown) {
    super('BOT_UNAVAILABLE', 'The bot could not be started in time. Send the event again in a moment.', { cause })
  }
}
