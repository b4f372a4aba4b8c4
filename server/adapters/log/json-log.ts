import type { Log } from '../../ports/runtime'

/** Writes one JSON line per event, with the facts of `context`. Errors are logged by name, code and message only. */
export function createJsonLog(context: () => Record<string, unknown>): Log {
  let lines = ''
  // Write all lines at once, e.g. for many submissions after one answer of Redis, before anything else happens.
  const flush = () => {
    process.stdout.write(lines)
    lines = ''
  }
  process.on('exit', () => lines && flush())
  const logAt = (level: string) => (event: string, facts: Record<string, unknown> = {}) => {
    const loggableFacts = Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [key, value instanceof Error ? describe(value) : value]),
    )
    if (!lines) process.nextTick(flush)
    lines += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...context(), ...loggableFacts })}\n`
  }
  return { info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

/** Max length of a message that was not written for this log, characters. */
const MESSAGE_LENGTH = 200

/**
 * Turns everything that Nitro, Node and libraries print into log lines. A line has the first line of the text, and the
 * error if one is among the arguments. Query strings of addresses are cut at the `?`.
 */
export function captureOutput(log: Log): void {
  const logAt = (level: keyof Log) => (...parts: unknown[]) => {
    const [text = ''] = parts.filter(part => typeof part === 'string')
    const [line = ''] = text.replace(/\?\S*/g, '?…').trim().split('\n')
    log[level]('console', { message: line.slice(0, MESSAGE_LENGTH), error: parts.find(part => part instanceof Error) })
  }
  Object.assign(console, {
    debug: logAt('info'), log: logAt('info'), info: logAt('info'), warn: logAt('warn'), error: logAt('error'),
    trace: logAt('error'),
  })
  process.removeAllListeners('warning').on('warning', error => log.warn('process.warning', { error }))
}

function describe(error: Error & { code?: string }): Record<string, unknown> {
  const cause = error.cause instanceof Error
    ? { name: error.cause.name, code: (error.cause as { code?: string }).code, message: error.cause.message }
    : undefined
  return { name: error.name, code: error.code, message: error.message, cause }
}
