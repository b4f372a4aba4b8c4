import type { Json } from './types'

type Path = (string | number)[]

/** An error in the format of Discord's REST API */
export class DiscordError extends Error {
  readonly status: number
  readonly body: Json

  constructor(status: number, code: number, message: string, errors?: Json) {
    super(message)
    this.status = status
    this.body = { message, code, ...errors ? { errors } : {} }
  }
}

/** Collects the problems of a payload in Discord's error tree. */
export class Problems {
  private readonly tree: Json = {}

  add(path: Path, code: string, message: string): void {
    let node = this.tree
    for (const key of path) node = node[key] ??= {}
    ;(node._errors ??= []).push({ code, message })
  }

  /** White space alone counts as missing. */
  filled(path: Path, value: unknown): void {
    if (!String(value ?? '').trim()) this.add(path, 'BASE_TYPE_REQUIRED', 'This field is required')
  }

  /**
   * Counts UTF-16 units. Discord does not document its unit; this one gives the highest count, so anything that passes
   * here passes at Discord.
   */
  most(path: Path, { length = 0 }: { length?: number }, max: number): void {
    if (length > max) this.add(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
  }

  url(path: Path, value: string | null | undefined, ...schemes: string[]): void {
    const { protocol } = new URL(value ?? 'https:/none')
    if (!['http:', 'https:', ...schemes].includes(protocol)) {
      this.add(path, 'URL_TYPE_INVALID_SCHEME', `Scheme "${protocol}" is not supported.`)
    }
  }

  throwIfAny(): void {
    if (Object.keys(this.tree).length > 0) throw new DiscordError(400, 50035, 'Invalid Form Body', this.tree)
  }
}
