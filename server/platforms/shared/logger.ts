import type { Logger } from 'chat'
import type { Log } from '../../ports/runtime'

/**
 * Forwards the SDK's warnings and errors, but only error names and codes of their arguments: the SDK puts message
 * bodies and user names into them.
 */
export function sdkLogger(log: Log, scope = 'chat'): Logger {
  const toFields = (message: string, args: unknown[]) => ({ scope, message, ...describe(args) })
  return {
    child: prefix => sdkLogger(log, `${scope}.${prefix}`),
    debug: () => {},
    info: () => {},
    warn: (message, ...args) => log.warn('chat.warning', toFields(message, args)),
    error: (message, ...args) => log.error('chat.error', toFields(message, args)),
  }
}

function describe(args: unknown[]): Record<string, unknown> {
  const candidates = args.flatMap(arg => [arg, (arg as { error?: unknown } | null)?.error])
  const error = candidates.find(candidate => candidate instanceof Error) as (Error & {
    code?: string
    data?: { error?: string }
  }) | undefined
  return error ? { error: error.name, code: error.code, vendorCode: error.data?.error } : {}
}
