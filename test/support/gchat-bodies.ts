import type { Bodies } from './gchat-types'
import { mistyped } from './mistyped'
import type { Recorded } from './proxy'

/** Returns how messages differ from Google's types. */
export function undescribedMessages(messages: readonly unknown[]): Promise<string[]> {
  const name: keyof Bodies = 'message'
  return mistyped('test/support/gchat-types.ts', messages.map(value => ({ name, value })))
}

/** Returns how requests to the Chat API differ from Google's types. */
export function undescribed(requests: readonly Recorded[]): Promise<string[]> {
  const sent = requests.filter(({ path, body }) => path.startsWith('/v1/') && body)
  return undescribedMessages(sent.map(({ body }) => JSON.parse(body) as unknown))
}
