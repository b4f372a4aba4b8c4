import type { Json } from './types'

type Path = (string | number)[]

/** An error as Discord's REST API words it. */
export class DiscordError extends Error {
  readonly status: number
  readonly body: Json

  constructor(status: number, code: number, message: string, errors?: Json) {
    super(message)
    this.status = status
    this.body = { message, code, ...errors ? { errors } : {} }
  }
}

/** Collects what is wrong with a payload into Discord's tree of errors. */
export class Problems {
  private readonly tree: Json = {}

  add(path: Path, code: string, message: string): void {
    let node = this.tree
    for (const key of path) node = node[key] ??= {}
    ;(node._errors ??= []).push({ code, message })
  }

  required(path: Path): void {
    this.add(path, 'BASE_TYPE_REQUIRED', 'This field is required')
  }

  /**
   * Lengths count UTF-16 units. Discord does not document its unit; this is the larger of the plausible ones, so what
   * passes here passes there. White space alone counts as missing.
   */
  text(path: Path, value: unknown, min: number, max: number): void {
    if (value === undefined || value === null) return min > 0 ? this.required(path) : undefined
    if (typeof value !== 'string') return this.add(path, 'STRING_TYPE_CONVERT', 'Could not interpret as string.')
    if (min > 0 && !value.trim()) return this.required(path)
    this.size(path, value.length, min, max)
  }

  size(path: Path, length: number, min: number, max: number): void {
    if (length >= min && length <= max) return
    if (min > 0) this.add(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`)
    else this.add(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
  }

  integer(path: Path, value: unknown, min: number, max: number): void {
    if (value === undefined || value === null) return
    if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
      this.add(path, 'NUMBER_TYPE_RANGE', `int value should be between ${min} and ${max}.`)
    }
  }

  list(path: Path, value: unknown, min: number, max: number): Json[] {
    if (value === undefined || value === null) {
      if (min > 0) this.required(path)
      return []
    }
    if (!Array.isArray(value)) {
      this.add(path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
      return []
    }
    this.size(path, value.length, min, max)
    return value as Json[]
  }

  url(path: Path, value: unknown, schemes: string[], max = 2048): void {
    if (value === undefined || value === null) return
    const text = String(value)
    this.size(path, text.length, 0, max)
    if (!URL.canParse(text)) this.add(path, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
    else if (!schemes.includes(new URL(text).protocol)) {
      this.add(
        path, 'URL_TYPE_INVALID_SCHEME',
        `Scheme "${new URL(text).protocol}" is not supported. Scheme must be one of ${schemes.join(', ')}.`,
      )
    }
  }

  choice(path: Path, value: unknown, allowed: unknown[]): void {
    if (!allowed.includes(value)) this.add(path, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`)
  }

  throwIfAny(): void {
    if (Object.keys(this.tree).length > 0) throw new DiscordError(400, 50035, 'Invalid Form Body', this.tree)
  }
}
