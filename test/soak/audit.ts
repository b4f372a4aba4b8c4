import { isOver } from '../../server/domain/lifecycle/record'
import type { SubmissionStore } from '../../server/ports/store'
import { submissionOf, type Vendors } from './vendors'

export interface Sent {
  index: number
  /** Null if it was not accepted */
  id: string | null
  status: number
  ms: number
  /** The clicked action, if any */
  action?: 'forward' | 'spam' | 'edit'
}

/** Maximum number of audit entries that the store keeps */
const AUDIT_LINES = 10_000

/** Compares the sent forms and clicks with the vendors' records and the content of the store; one line per problem. */
export async function audit(
  vendors: Vendors, store: SubmissionStore, sent: readonly Sent[],
): Promise<{ problems: string[], secondCards: number }> {
  const problems: string[] = []
  const check = (ok: boolean, problem: string) => void (ok || problems.push(problem))
  const lostPosts = [...vendors.lost].filter(({ path }) => path === '/api/chat.postMessage')
  const cards = grouped([...vendors.cards.values()], ({ submission }) => submission)
  const emails = grouped([...vendors.emails.keys()], key => key.slice(0, 36))
  const deliveries = grouped([...vendors.deliveries.keys()], key => key.slice(0, 36))
  const outcomes = grouped(await store.audit(AUDIT_LINES), ({ id }) => id)
  const decided = sent.filter(({ action }) => action).length
  let secondCards = 0

  for (const { index, id, status, action } of sent) {
    if (id === null || status !== 200) {
      problems.push(`form ${index} was answered ${status}`)
      continue
    }
    const what = `${id} (${action ?? 'undecided'})`
    const deliveriesExpected = action === 'forward' || action === 'edit' ? 1 : 0
    const stored = await store.get(id)
    check(
      action ? stored !== null && isOver(stored) : stored?.state === 'open' && stored.data !== null,
      `${what} is ${stored?.state ?? 'gone'}`,
    )

    const own = cards.get(id) ?? []
    const unanswered = lostPosts.filter(({ body }) => body.includes(id)).length
    const withButtons = own.filter(({ blocks }) => submissionOf(blocks)).length
    secondCards += Math.max(own.length - 1, 0)
    check(own.length >= 1, `${what} has no card`)
    check(own.length <= 1 + unanswered, `${what} has ${own.length} cards after ${unanswered} lost answers`)
    check(
      action ? withButtons <= unanswered : withButtons === own.length,
      `${what}: ${withButtons} of ${own.length} cards show buttons`,
    )

    const lines = outcomes.get(id) ?? []
    check(lines.length === (action ? 1 : 0) || decided > AUDIT_LINES, `${what} has ${lines.length} lines in the audit`)
    check(lines.every(({ outcome }) => outcome === (
      action === 'forward' ? 'forwarded' : action === 'edit' ? 'edited' : 'spam'
    )), `${what} is recorded as ${lines.map(({ outcome }) => outcome)}`)
    check((emails.get(id)?.length ?? 0) === deliveriesExpected, `${what} has ${emails.get(id)?.length ?? 0} emails`)
    check(
      (deliveries.get(id)?.length ?? 0) === deliveriesExpected,
      `${what} was delivered under ${deliveries.get(id)?.length ?? 0} keys`,
    )
  }
  for (const [key, bodies] of vendors.deliveries) {
    const unanswered = [...vendors.lost].filter(({ headers }) => headers['webhook-id'] === key).length
    check(
      bodies.length <= 1 + unanswered, `${key} was delivered ${bodies.length} times after ${unanswered} lost answers`,
    )
  }
  return { problems, secondCards }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf)
}
