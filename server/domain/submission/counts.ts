import {
  HOLDERS, ROW_STATES, type Counts, type HolderFilter, type RowState,
} from '../../../shared/types/submissions'
import type { PageRequest } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { countDone, type DonePorts } from './done'
import { DEFAULT_FORM, filtering, indexOf, type Filter } from './listing'
import { reached } from './overview'

/** A list with more than these is not read to be counted: that would take longer than anybody waits for a number. */
const MOST_READ = 1000

/** Submissions that are read at once: a form may have 256 KiB. */
const PAGE = 200

/**
 * How many submissions each choice of the filter would list, the rest of the filter as it is. Lists of up to 1,000 are
 * read; of a longer one is known how long it is, what stands in a shorter index of it, and what that leaves.
 *
 * @throws StoreUnavailable
 */
export async function countChoices(filter: Filter, ports: DonePorts): Promise<Counts> {
  const { store, board, runtime, presentation: { forms } } = ports
  const { state: listed, q, form, platform, holder } = filter
  const isPlain = !q && form === undefined && platform === undefined
  const read = (list: Index) => readList(list, filter, ports)
  const [pending, held, spam, done, backlog] = await Promise.all([
    read('pending'), read('held'), read('spam'), isPlain && !holder ? countDone(ports) : null,
    reached(store.backlog(runtime.now())),
  ])
  const [stuck, taken] = pending.found ? [pending, pending] : await Promise.all([read('stuck'), read('taken')])
  const lists = { pending, held, spam, stuck: { ...stuck, total: backlog.stuck }, taken }
  const count = (choice: Filter): number | null => {
    const index = indexOf(choice)
    const { total, found } = lists[index ?? 'pending']
    if (found) return found.filter(filtering({ ...choice, q: undefined }, ports)).length
    const { state, holder, form, platform } = choice
    if (q || form !== undefined || platform !== undefined) return null
    if (!holder) return state && index === undefined ? null : total
    // Free is what nobody has.
    const taken = holder === 'free' && !state ? count({ holder: 'taken' }) : null
    return taken === null ? null : total - taken
  }
  const stateCount = (state: RowState): number | null => {
    if (state === 'done') return done
    return count({ ...filter, state, ...(state === 'held' || state === 'spam') && { holder: undefined } })
  }
  const choiceCount = (choice: Filter) => listed === 'done' ? null : count({ ...filter, ...choice })
  const platforms = [...new Set(forms.rooms.map(room => room.split('/')[0]!))]
  return {
    states: {
      all: count({ ...filter, state: undefined }),
      ...Object.fromEntries(ROW_STATES.map(state => [state, stateCount(state)])) as Record<RowState, number | null>,
    },
    holders: Object.fromEntries(HOLDERS.map(holder => [holder, choiceCount({ holder })])) as Record<
      HolderFilter, number | null
    >,
    forms: forms.all.map(({ key = DEFAULT_FORM, name }) => (
      { key, label: name ?? 'Default form', count: choiceCount({ form: key }) }
    )),
    platforms: platforms.map(key => ({ key, label: board.label(key), count: choiceCount({ platform: key }) })),
  }
}

interface Counted {
  /** How long the list is. */
  total: number
  /** What a search finds in it; null when it is too long to be read. */
  found: Submission[] | null
}

/** A list of the store, or an index of what is pending. */
type Index = 'pending' | NonNullable<PageRequest['only']>

async function readList(list: Index, { q }: Filter, ports: DonePorts): Promise<Counted> {
  const isFound = filtering({ q }, ports)
  const only = list === 'pending' ? undefined : list
  const isIndex = list === 'stuck' || list === 'taken'
  const found: Submission[] = []
  let seen = 0
  for (let before: string | undefined; ;) {
    const page = await reached(ports.store.listPending({ limit: PAGE, only, before }))
    seen += page.submissions.length
    if ((isIndex ? seen : page.total) > MOST_READ) return { total: page.total, found: null }
    found.push(...page.submissions.filter(isFound))
    if (page.cursor === null) return { total: page.total, found }
    before = page.cursor
  }
}
