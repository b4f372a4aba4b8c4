import { Events, pass } from './mounted'
import { refusal, site, type Asked } from './nuxt'

const HOUR_MS = 3_600_000

/** Returns an open submission as the server reports it. A spam decision can be undone for an hour. */
export const details = (id: string, changes: Partial<SubmissionDetails> = {}) => ({
  id, form: null, state: 'waiting', open: true, mayDecide: true, mayErase: true, taking: null, holder: null,
  receivedAt: Date.now() - 60_000,
  fields: [{ id: 'f0', key: 'name', label: 'name', kind: 'text', value: 'Ada', edited: false }],
  technical: [], sent: null,
  files: [], notes: [], problem: null, cards: [], history: [], work: [], revocableMs: { forward: 0, spam: HOUR_MS },
  destinations: ['triage@example.com'], retry: null, sendAgain: null, revocation: null, erased: false, erasedAt: null,
  revision: 'r1', now: Date.now(), ...changes,
}) as unknown as SubmissionDetails

/** Returns a row of the list. */
export const row = (id: string, changes: Partial<Row> = {}) => ({
  id, form: null, state: 'waiting', open: true, receivedAt: 0, preview: [], cards: [], holder: null, ...changes,
}) as unknown as Row

/** Returns a page of the list. */
export const rowPage = (rows: Row[], changes: Partial<RowPage> = {}): RowPage => ({
  now: Date.now(), revision: 'r1', rows, found: rows.map(({ id }) => id), total: rows.length, cursor: null,
  scanned: rows.length, ...changes,
})

const COUNTS = { states: { all: 3, waiting: 2, failed: 0 }, holders: { mine: 1 }, forms: [], platforms: [] }
export const CONTEXT = {
  sandbox: true, formUrl: '/api/form', curl: 'curl /api/form', revocableMs: { forward: 0, spam: HOUR_MS },
}

/** Changes that each action makes to a submission */
const OUTCOMES: Record<string, object> = {
  'spam': { state: 'spam', open: false, revocation: { action: 'reopen' } },
  'forward': { state: 'done', open: false }, 'edit': { state: 'done', open: false },
  'resend': { state: 'done', open: false }, 'erase': { state: 'done', open: false, mayErase: false },
  'reopen': { state: 'waiting', open: true, revocation: null }, 'undo': { state: 'waiting', open: true },
  'release': { state: 'waiting', open: true },
  'take': { taking: 'hand-back', holder: { name: 'Ada', platform: 'Ops page', since: 0 } },
  'hand-back': { taking: 'take', holder: null },
}

/** Starts a stand-in for the server with these submissions, in the order of the list. */
export function serve(...submissions: SubmissionDetails[]) {
  const kept = new Map(submissions.map(each => [each.id, each]))
  const overrides: { part: string, answer: (asked: Asked) => unknown, isOnce: boolean }[] = []
  const service = {
    kept,
    /** Actions that the server has performed, with the submission's id; repeated requests of one click count once. */
    done: [] as [id: string, action: string][],
    pressed: new Set<string>(),
    /** Answers requests if their address contains `part`: every time (`on`), or only the next time (`once`). */
    on: (part: string, answer: (asked: Asked) => unknown) => void overrides.unshift({ part, answer, isOnce: false }),
    once: (part: string, answer: (asked: Asked) => unknown) => void overrides.unshift({ part, answer, isOnce: true }),
    /** Holds the next answer back until the test calls the returned function. */
    hold: (part: string, answered: (asked: Asked) => unknown = answer) => {
      const gate = Promise.withResolvers<null>()
      service.once(part, asked => gate.promise.then(() => answered(asked)))
      return async () => {
        gate.resolve(null)
        await pass(1)
      }
    },
    /** Changes a submission and notifies the pages. If `ids` is null, the pages must assume that all have changed. */
    change: async (id: string, changes: Partial<SubmissionDetails> = {}, ids: string[] | null = [id]) => {
      kept.set(id, details(id, changes))
      Events.open.at(-1)!.send('changed', ids)
      await pass()
    },
    /** Default answer of the server */
    answer,
    off: () => void overrides.splice(0),
  }
  function act(id: string, action: string, press: string) {
    if (service.pressed.has(press + id)) return
    service.pressed.add(press + id)
    service.done.push([id, action])
    kept.set(id, { ...kept.get(id)!, ...OUTCOMES[action] })
  }
  function answer({ path, body }: Asked): unknown {
    const { action, press, ids = [] } = body as { action?: string, press?: string, ids?: string[] }
    const [, id, what] = /^\/api\/submissions\/([^/?]+)(?:\/(\w+))?$/.exec(path) ?? []
    if (id === 'decisions') return { results: ids.map((each) => {
      act(each, action!, press!)
      return { id: each, status: 200 }
    }) }
    if (id === 'search' || path.startsWith('/api/submissions?')) {
      return rowPage([...kept.values()].filter(each => each.open) as unknown as Row[])
    }
    if (path === '/api/submissions/counts') return COUNTS
    if (path === '/api/ops/context') return CONTEXT
    if (!id || !kept.has(id)) return refusal(404, { error: `Nothing is at ${path}` })
    if (what === 'decision') act(id, action!, press!)
    return what ? {} : kept.get(id)
  }
  site.answer = async (asked) => {
    const at = overrides.findIndex(({ part }) => asked.path.includes(part))
    if (at < 0) return answer(asked)
    const { answer: own, isOnce } = overrides[at]!
    if (isOnce) overrides.splice(at, 1)
    return own(asked)
  }
  return service
}

export const AWAY = { error: 'The store does not answer.', code: 'STORE_UNAVAILABLE' }
/** Creates the server's answer while its store is unavailable. */
export const away = () => refusal(503, AWAY)
