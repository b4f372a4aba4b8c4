import type { Bodies } from './gchat-types'
import { mistyped } from './mistyped'
import type { Recorded } from './proxy'

/** How messages differ from what Google declares. */
export function undescribedMessages(messages: readonly unknown[]): Promise<string[]> {
  const name: keyof Bodies = 'message'
  return mistyped('test/support/gchat-types.ts', messages.map(value => ({ name, value })))
}

/** How what the Chat API was sent differs from what Google declares. */
export function undescribed(requests: readonly Recorded[]): Promise<string[]> {
  const sent = requests.filter(({ path, body }) => path.startsWith('/v1/') && body)
  return undescribedMessages(sent.map(({ body }) => JSON.parse(body) as unknown))
}
