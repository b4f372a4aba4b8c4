import type { Json } from './types'

/** An error in the format of Discord's REST API */
export class DiscordError extends Error {
  readonly body: Json

  constructor(readonly status: number, code: number, message: string, errors?: Json) {
    super(message)
    this.body = { message, code, ...errors ? { errors } : {} }
  }
}

/** @throws DiscordError if there is a problem */
export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new DiscordError(400, 50035, 'Invalid Form Body', { _errors: problems.map(message => ({ message })) })
}
