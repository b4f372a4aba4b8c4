import type { Log } from '../../ports/runtime'

/** One JSON line per event, with the facts of `context`; of an error only name, code and message. */
export function createJsonLog(context: () => Record<string, unknown>): Log {
  let lines = ''
  // What one answer of Redis sets off for many submissions is written in one piece, still before anything else happens.
  const flush = () => {
    process.stdout.write(lines)
    lines = ''
  }
  process.on('exit', () => lines && flush())
  const at = (level: string) => (event: string, facts: Record<string, unknown> = {}) => {
    const plain = Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [key, value instanceof Error ? describe(value) : value]),
    )
    if (!lines) process.nextTick(flush)
    lines += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...context(), ...plain })}\n`
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Longest text of a line that was not written for this log, in characters. */
const MESSAGE_LENGTH = 200

/**
 * Makes log lines of whatever Nitro, node and libraries print: of their arguments the first line of text, without what
 * follows a `?` in addresses, and an error.
 */
export function captureOutput(log: Log): void {
  const at = (level: keyof Log) => (...parts: unknown[]) => {
    const [text = ''] = parts.filter(part => typeof part === 'string')
    const [line = ''] = text.replace(/\?\S*/g, '?…').trim().split('\n')
    log[level]('console', { message: line.slice(0, MESSAGE_LENGTH), error: parts.find(part => part instanceof Error) })
  }
  Object.assign(console, {
    debug: at('info'), log: at('info'), info: at('info'), warn: at('warn'), error: at('error'), trace: at('error'),
  })
  process.removeAllListeners('warning').on('warning', error => log.warn('process.warning', { error }))
}

function describe(error: Error & { code?: string }): Record<string, unknown> {
  const cause = error.cause instanceof Error
    ? { name: error.cause.name, code: (error.cause as { code?: string }).code, message: error.cause.message }
    : undefined
  return { name: error.name, code: error.code, message: error.message, cause }
}
