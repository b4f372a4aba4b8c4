import type { Logger } from 'chat'

export const REFUSED = 'A webhook with a token that does not hold was refused.'

/**
 * Log messages of Microsoft's server about refused webhooks and about how the SDK sets it up. It prints several lines
 * for each refusal; one is enough, or none.
 */
const NOISE: readonly { says: RegExp, told?: string }[] = [
  { says: /^JWT validation failed/, told: REFUSED },
  { says: /missing Authorization header/, told: 'A webhook without a token was refused.' },
  { says: /skipAuth is deprecated/ },
  { says: /^(?:JWT verification|Custom validation) failed|^Decoded token is not/ },
]

/** Redirects Microsoft's loggers, which always print plain text to the console; `one` shares their prototype. */
export function quieten(one: object, logger: Logger): void {
  Object.assign(Object.getPrototypeOf(one) as object, {
    log: (level: string, ...messages: unknown[]) => {
      const text = String(messages.find(part => typeof part === 'string') ?? 'Teams')
      const noise = NOISE.find(({ says }) => says.test(text))
      if (noise?.told) logger.warn(noise.told)
      if (!noise && (level === 'error' || level === 'warn')) {
        logger[level](text, ...messages.filter(part => part instanceof Error))
      }
    },
  })
}
