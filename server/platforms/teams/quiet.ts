import type { Logger } from 'chat'

export const REFUSED = 'Refused a webhook with an invalid token.'

/**
 * Log messages of Microsoft's server about refused webhooks and about its set-up by the SDK. It prints several lines
 * for each refusal; one is enough, or none.
 */
const NOISE: readonly { pattern: RegExp, warning?: string }[] = [
  { pattern: /^JWT validation failed/, warning: REFUSED },
  { pattern: /missing Authorization header/, warning: 'Refused a webhook without a token.' },
  { pattern: /skipAuth is deprecated/ },
  { pattern: /^(?:JWT verification|Custom validation) failed|^Decoded token is not/ },
]

/** Redirects Microsoft's loggers, which always print plain text to the console; `anyLogger` shares their prototype. */
export function quieten(anyLogger: object, logger: Logger): void {
  Object.assign(Object.getPrototypeOf(anyLogger) as object, {
    log: (level: string, ...messages: unknown[]) => {
      const text = String(messages.find(part => typeof part === 'string') ?? 'Teams')
      const noise = NOISE.find(({ pattern }) => pattern.test(text))
      if (noise?.warning) logger.warn(noise.warning)
      if (!noise && (level === 'error' || level === 'warn')) {
        logger[level](text, ...messages.filter(part => part instanceof Error))
      }
    },
  })
}
