import type { Json } from './adaptive-card'
import { mistyped, type Body } from './mistyped'
import type { Recorded } from './proxy'
import type { Bodies } from './slack-types'

const FILE = 'test/support/slack-types.ts'

/** Returns how requests to Slack differ from its own types. */
export function undescribed(requests: readonly Recorded[]): Promise<string[]> {
  return mistyped(FILE, requests.filter(({ method }) => method === 'POST').flatMap((request) => {
    const { pathname } = new URL(request.path, 'http://slack')
    // An unknown method is no key of `Bodies`, so TypeScript reports it.
    const name = pathname.startsWith('/commands/') ? 'command' : pathname.replace('/api/', '') as keyof Bodies
    return withBlocks(name, parseCall(request))
  }))
}

/** Returns how the answer to an interaction differs from Slack's types. */
export const undescribedAnswer = (answer: Json): Promise<string[]> => mistyped(FILE, withBlocks('view', answer))

/** Adds each block as a separate body to check: Slack's types of calls accept any block that has a type. */
function withBlocks(name: keyof Bodies, body: Json): (Body & { name: keyof Bodies })[] {
  const blocks = body.blocks ?? body.view?.blocks
  return [{ name, value: body }, ...blocks ? [{ name: 'blocks' as const, value: blocks }] : []]
}

/** Arguments that a form carries as text */
const SCALARS = ['inclusive', 'limit', 'unfurl_links', 'unfurl_media']

/** Returns the arguments of a call; a form carries objects as JSON. */
export function parseCall({ body, headers }: Recorded): Json {
  if (headers['content-type']?.includes('json')) return JSON.parse(body) as Json
  return Object.fromEntries([...new URLSearchParams(body)].map(([key, value]) => [
    key, SCALARS.includes(key) || /^[[{]/.test(value) ? JSON.parse(value) : value,
  ]))
}
