import type { Log } from '../../ports/runtime'

/**
 * One JSON line per event, each with the facts of `context`, such as the request's id.
 * Of an error only name, code and message are kept.
 */
export function createJsonLog(context: () => Record<string, unknown>): Log {
  let lines = ''
  // What one answer of Redis sets off for many submissions is written in one piece, still before anything else happens.
  const flush = () => {
    process.stdout.write(lines)
    lines = ''
  }
  process.on('exit', () => lines && flush())
  const at = (level: string) => (event: string, facts: Record<string, unknown> = {}) => {
    const plain = Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, value instanceof Error ? describe(value) : value]))
    if (!lines) process.nextTick(flush)
    lines += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...context(), ...plain })}\n`
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function describe(error: Error & { code?: string }): Record<string, unknown> {
  const cause = error.cause instanceof Error ? { name: error.cause.name, code: (error.cause as { code?: string }).code, message: error.cause.message } : undefined
  return { name: error.name, code: error.code, message: error.message, cause }
}
