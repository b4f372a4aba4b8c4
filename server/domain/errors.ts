/** An error with a stable `code`; `http/errors.ts` turns it into a status. */
export class DomainError extends Error {
  constructor(readonly code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** The store did not answer in time: nothing was posted, and nothing was stored as far as we know. */
export class StoreUnavailable extends DomainError {
  constructor(
    cause: unknown,
    message = 'The store does not answer, so the form may not have been saved. Send it again in a moment; an Idempotency-Key makes that safe.',
  ) {
    super('STORE_UNAVAILABLE', message, { cause })
  }
}

/** The body was read but is not something we can triage. */
export class InvalidSubmission extends DomainError {
  constructor(message: string) {
    super('INVALID_SUBMISSION', message)
  }
}

/** The sender has used up its window: nothing was stored. */
export class TooManyForms extends DomainError {
  /** Until the window ends, s. */
  readonly retryAfterS: number

  constructor(limit: number, waitMs: number) {
    const seconds = Math.ceil(waitMs / 1000)
    super(
      'TOO_MANY_FORMS',
      `More than ${limit} forms a minute came from your address. Nothing was saved; send the form again in ${seconds} s. The service sets this by FORM_RATE_LIMIT and, behind a proxy, TRUST_PROXY.`,
    )
    this.retryAfterS = seconds
  }
}

/** The human check did not let the sender through; a new token may. */
export class HumanCheckFailed extends DomainError {
  constructor(message: string) {
    super('HUMAN_CHECK_FAILED', message)
  }
}

/** The human check could not be asked: nothing was stored. */
export class HumanCheckUnavailable extends DomainError {
  constructor() {
    super(
      'HUMAN_CHECK_UNAVAILABLE',
      'The check for human senders cannot be reached. Nothing was saved; send the form again in a moment.',
    )
  }
}

/** The submission was decided, has expired, or never was. */
export class SubmissionGone extends DomainError {
  constructor() {
    super('SUBMISSION_GONE', 'This submission does not exist any more: it was decided, or its 7 days have passed.')
  }
}

/** It is over, and the audit trail knows how; the message says so. */
export class SubmissionEnded extends DomainError {
  constructor(message: string) {
    super('SUBMISSION_ENDED', message)
  }
}

/** Somebody else decided first; the message says who. */
export class AlreadyDecided extends DomainError {
  constructor(message: string) {
    super('ALREADY_DECIDED', message)
  }
}

/** It is held, or is not, and cannot be what was asked of it; the message says what it can be. */
export class WrongState extends DomainError {
  constructor(message: string) {
    super('WRONG_STATE', message)
  }
}

/** What was asked for is not understood; the message says what is. */
export class InvalidRequest extends DomainError {
  constructor(message: string) {
    super('INVALID_REQUEST', message)
  }
}

/** The bot could not be started in time: nothing was done with the event, whose platform sends it again. */
export class BotUnavailable extends DomainError {
  constructor(cause: unknown) {
    super('BOT_UNAVAILABLE', 'The bot could not be started in time. Send the event again in a moment.', { cause })
  }
}
