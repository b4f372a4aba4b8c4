import type { Json } from './adaptive-card'
import { mistyped, type Body } from './mistyped'
import type { Recorded } from './proxy'
import type { Bodies } from './slack-types'

const FILE = 'test/support/slack-types.ts'

/** How what Slack was sent differs from what it declares. */
export function undescribed(requests: readonly Recorded[]): Promise<string[]> {
  return mistyped(FILE, requests.filter(({ method }) => method === 'POST').flatMap((request) => {
    const { pathname } = new URL(request.path, 'http://slack')
    // What Slack does not have is no member, and TypeScript says so.
    const name = pathname.startsWith('/commands/') ? 'command' : pathname.replace('/api/', '') as keyof Bodies
    return withBlocks(name, parseCall(request))
  }))
}

/** How the answer to an interaction differs from what Slack declares. */
export const undescribedAnswer = (answer: Json): Promise<string[]> => mistyped(FILE, withBlocks('view', answer))

/** Blocks by themselves too: calls are declared to take any that has a type. */
function withBlocks(name: keyof Bodies, body: Json): (Body & { name: keyof Bodies })[] {
  const blocks = body.blocks ?? body.view?.blocks
  return [{ name, value: body }, ...blocks ? [{ name: 'blocks' as const, value: blocks }] : []]
}

/** In a form they are text. */
const SCALARS = ['inclusive', 'limit', 'unfurl_links', 'unfurl_media']

/** The arguments of a call; a form carries objects as JSON. */
export function parseCall({ body, headers }: Recorded): Json {
  if (headers['content-type']?.includes('json')) return JSON.parse(body) as Json
  return Object.fromEntries([...new URLSearchParams(body)].map(([key, value]) => [
    key, SCALARS.includes(key) || /^[[{]/.test(value) ? JSON.parse(value) : value,
  ]))
}
