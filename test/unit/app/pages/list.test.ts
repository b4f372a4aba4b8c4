import { beforeEach, describe, expect, test } from 'vitest'
import OpsListFilters from '../../../../app/components/ops/list/list-filters.vue'
import OpsSubmissionRow from '../../../../app/components/ops/submission/submission-row.vue'
import { useQueueRows } from '../../../../app/composables/list/use-queue-rows'
import ListPage from '../../../../pages/index.vue'
import { byId, Events, gate, mount, pass, press, shown, type, typed } from '../../../support/app/mounted'
import { navigateTo, route, site, useRouter, useState, type Asked } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'
import { away, row, rowPage, serve } from '../../../support/app/service'

let leave: () => void
let service: ReturnType<typeof serve>
/** Answers a search or the first page. */
let search: (asked: Asked) => unknown

const rows = (count: number, changes: Partial<Row> = {}) => Array.from({ length: count }, (_, index) => (
  row(`${changes.form ?? 'r'}${String(count - index).padStart(3, '0')}`, { receivedAt: count - index, ...changes })
))

async function open(address = '/') {
  await navigateTo(address)
  leave = await mount(ListPage, {}, { OpsListFilters, OpsSubmissionRow })
}

beforeEach(() => {
  useState('sign-in', () => ({ viewer: { role: 'reviewer' }, takes: true, platforms: [] }))
  service = serve()
  search = () => rowPage([])
  service.on('/search', asked => search(asked))
  service.on('/api/submissions?limit', asked => search(asked))
})

const ids = () => page.root.querySelectorAll('[data-testid=row]').map(({ dataset }) => String(dataset.id))
const total = () => shown(byId('total'))
const section = () => page.root.querySelector('section')!
const searches = () => site.asked.filter(({ path }) => /search|\?limit/.test(path)).map(({ body }) => body)
const changed = async (changedIds: string[] | null) => {
  Events.open.at(-1)!.send('changed', changedIds)
  await pass(250)
}
const fresh = () => page.root.querySelectorAll('[data-testid=row]').filter(
  ({ props }) => String((props.class as string)).includes('ops-row-fresh'),
).map(({ dataset }) => dataset.id)
const news = () => shown(page.root.querySelector('[aria-live=polite]'))
const choose = async (filter: ListFilter) => {
  for (const group of page.root.querySelectorAll('OpsFilterGroup')) {
    const [name, value] = Object.entries(filter)[0]!
    if (group.props.label === (name === 'state' ? 'Show' : 'Who has it')) {
      (group.props['onUpdate:modelValue'] as (value: unknown) => void)(value)
    }
  }
  await pass(250)
}

describe('the list', () => {
  test('asks for its first page as the browser has preloaded it, and draws all rows after those in sight', async () => {
    search = () => rowPage(rows(50))
    await open()
    const asked = site.asked.map(({ path }) => path).filter(path => /submissions(?!\/counts)/.test(path))
    expect(asked).toEqual(['/api/submissions?limit=50'])
    expect(ids()).toHaveLength(16)
    await pass(100)
    expect([ids().length, total()]).toEqual([50, '50 pending'])
  })

  test('has filter, order, search and page in the address, and ignores what is no filter there', async () => {
    search = ({ body }) => 'only' in body ? rowPage([]) : rowPage(rows(50), { cursor: 'c2' })
    await open('/?state=waiting&q=999&sort=oldest&x=1&holder=nobody')
    expect(searches()[0]).toEqual({ limit: 50, before: undefined, state: 'waiting', q: '999', sort: 'oldest' })
    expect(typed('search')).toBe('999')
    await press('older')
    await pass(250)
    expect(route.fullPath).toBe('/?state=waiting&sort=oldest&q=999&before=c2&page=2')
    expect(shown(byId('page-number'))).toBe('Page 2')
    await press('newer')
    await pass(250)
    expect(route.fullPath).toBe('/?state=waiting&sort=oldest&q=999')
  })

  test('goes back through the pages that led here; from a link, to the first', async () => {
    search = ({ body: { before = 'top' } }) => rowPage(rows(50), { cursor: `after-${before}`, total: 200 })
    await open()
    for (const _ of [2, 3]) {
      await press('older')
      await pass(250)
    }
    expect([route.query.before, shown(byId('page-number'))]).toEqual(['after-after-top', 'Page 3 of 4'])
    await press('newer')
    await pass(250)
    expect([route.query.before, route.query.page]).toEqual(['after-top', '2'])
    await press('newer')
    await pass(250)
    expect(route.fullPath).toBe('/')
    leave()
    site.historyStates.push({})
    await open('/?before=after-after-top&page=3')
    await press('newer')
    await pass(250)
    expect(route.fullPath).toBe('/')
  })

  test('searches a moment after the last key, and not once somebody has left', async () => {
    search = () => rowPage(rows(3))
    await open()
    await type('search', 'qu')
    await pass(200)
    await type('search', 'quick ')
    await pass(249)
    expect(route.fullPath).toBe('/')
    await pass(1)
    await pass()
    expect([route.fullPath, typed('search')]).toEqual(['/?q=quick', 'quick '])
    leave()
    await open()
    await type('search', 'quicker')
    await navigateTo('/submissions/r001')
    await pass(1000)
    expect(route.fullPath).toBe('/submissions/r001')
    expect(useQueueRows().value).toMatchObject({ filter: {}, rows: rows(3).map(({ id }) => ({ id })) })
  })

  test('keeps what is typed while an address comes, and follows another address', async () => {
    search = () => rowPage(rows(3))
    await open('/?q=first')
    await type('search', 'first and more')
    await useRouter().replace('/?q=first&sort=oldest')
    await pass()
    expect(typed('search')).toBe('first and more')
    await useRouter().push('/?q=second')
    await pass()
    expect(typed('search')).toBe('second')
  })

  test('is busy until the page that was turned to is there, whatever arrives before it', async () => {
    search = () => rowPage(rows(50), { cursor: 'c2', total: 150 })
    await open()
    const [change, turned] = [gate<RowPage>(), gate<RowPage>()]
    search = ({ body }) => 'ids' in body ? change.promise : turned.promise
    await changed(['new'])
    await press('older')
    expect([section().props['aria-busy'], byId('older')!.props.disabled]).toEqual([true, true])
    change.resolve(rowPage([row('new', { receivedAt: 999 })]))
    await pass()
    expect(section().props['aria-busy']).toBe(true)
    turned.resolve(rowPage(rows(50, { form: 's' }), { cursor: 'c3', total: 150 }))
    await pass()
    expect([section().props['aria-busy'], ids()[0], shown(byId('page-number'))]).toEqual([false, 's050', 'Page 2 of 3'])
  })

  test('that cannot be loaded is tried again; old rows are called the list of before', async () => {
    search = away
    await open()
    expect(shown(byId('list-error'))).toContain('The submissions cannot be shown The store does not answer.')
    search = () => rowPage(rows(2))
    await pass(3000)
    expect(ids()).toEqual(['r002', 'r001'])
    search = away
    await changed(null)
    expect(shown(byId('stale'))).toContain('This list may be out of date')
    await choose({ state: 'spam' })
    expect(shown(byId('stale'))).toContain('Your choice is still loading: this is the previous list')
    expect([ids().length, section().props['aria-label']]).toEqual([2, 'Pending submissions'])
    search = () => rowPage([])
    await pass(3000)
    expect([byId('stale'), section().props['aria-label']]).toEqual([null, 'Spam'])
  })

  test('does not list under a filter what was found for the one before', async () => {
    search = () => rowPage(rows(2))
    await open()
    const [late, next] = [gate<RowPage>(), gate<RowPage>()]
    search = ({ body }) => (body as ListFilter).holder ? late.promise : next.promise
    await choose({ holder: 'free' })
    await choose({ state: 'held' })
    late.resolve(rowPage(rows(3, { form: 'x' })))
    await pass(250)
    expect([ids(), section().props['aria-label']]).toEqual([['r002', 'r001'], 'Pending submissions'])
    next.resolve(rowPage([]))
    await pass(250)
    expect([ids(), section().props['aria-label'], route.fullPath]).toEqual([[], 'Held submissions', '/?state=held'])
  })

  test('leads to its first page when all on the last one was decided', async () => {
    search = ({ body }) => 'before' in body && (body as { before?: string }).before
      ? rowPage([], { total: 50 })
      : rowPage(rows(50), { total: 50 })
    await open('/?before=c2&page=2')
    await pass(250)
    expect([route.fullPath, ids().length]).toEqual(['/', 50])
  })

  test('counts again after a quiet moment, and shows no count that is not known', async () => {
    await open()
    const counts = () => page.root.querySelector('OpsFilterGroup')!.props.options as { label: string, count: number }[]
    expect(counts().slice(0, 2)).toMatchObject([{ label: 'All', count: 3 }, { label: 'Waiting', count: 2 }])
    const asked = () => site.asked.filter(({ path }) => path.endsWith('/counts')).length
    for (const _ of [1, 2, 3]) await changed(['x'])
    await pass(500)
    expect(asked()).toBe(2)
    service.once('/counts', away)
    await choose({ state: 'held' })
    expect(counts()[0]!.count).toBeNull()
    await pass(3000)
    expect(counts()[0]!.count).toBe(3)
  })
})

describe('what arrives', () => {
  const now = () => Date.now() + 1

  test('is new only if it came in while somebody looks, and is announced', async () => {
    search = () => rowPage(rows(3))
    await open()
    search = () => rowPage([row('late', { receivedAt: now() }), row('old', { receivedAt: 2 })])
    await changed(['late', 'old'])
    expect([ids()[0], fresh(), news()]).toEqual(['late', ['late'], '1 new submission.'])
    const later = row('later', { receivedAt: now() + 1 })
    search = () => rowPage([later])
    await changed(['later'])
    expect([fresh(), news()]).toEqual([['later', 'late'], '1 new submission.'])
    expect(searches().at(-1)).toMatchObject({ ids: ['later'] })
    await choose({ state: 'failed' })
    expect(fresh()).toEqual([])
  })

  test('stands in the order of the list, and not below its end', async () => {
    search = () => rowPage(rows(50), { cursor: 'c2' })
    await open()
    await pass(100)
    search = () => rowPage([row('between', { receivedAt: 49.5 }), row('beyond', { receivedAt: 0.5 })])
    await changed(['between', 'beyond'])
    expect([ids().slice(0, 3), ids().includes('beyond')]).toEqual([['r050', 'between', 'r049'], false])
  })

  test('above another page is counted there, until it is decided or looked at', async () => {
    search = () => rowPage(rows(50), { cursor: 'c3' })
    await open('/?before=c2&page=2')
    search = () => rowPage([row('above', { receivedAt: now() })])
    await changed(['above'])
    const above = () => page.root.querySelectorAll('button').map(shown).find(text => /new/.test(text))
    expect(above()).toBe('1 new submission on the first page')
    search = () => rowPage([])
    await changed(['above'])
    expect(above()).toBeUndefined()
    // After a lost connection, any submission may have changed.
    const missed = row('missed', { receivedAt: now() })
    search = ({ body }) => rowPage('before' in body ? rows(50) : [missed], { cursor: 'c3' })
    await changed(null)
    expect(above()).toBe('1 new submission on the first page')
  })

  test('too much at once, or too little left, loads the page again', async () => {
    search = () => rowPage(rows(26), { cursor: 'c2', total: 60 })
    await open()
    search = ({ body }) => 'ids' in body ? rowPage([]) : rowPage(rows(50), { cursor: 'c2' })
    await changed(['r001'])
    expect(ids()).toHaveLength(25)
    await changed(['r002'])
    await pass(100)
    expect([ids().length, searches().at(-1)]).toEqual([50, {}])
    await changed(Array.from({ length: 101 }, (_, index) => `x${index}`))
    expect(searches().at(-1)).toEqual({})
  })

  test('in the list of what is done loads it again: its order is not that of arrival', async () => {
    search = () => rowPage(rows(2))
    await open('/?state=done')
    await changed(['r001'])
    expect(searches().at(-1)).toMatchObject({ limit: 50, state: 'done' })
  })

  test('or is decided elsewhere goes, and one that cannot be read is told of until then', async () => {
    search = () => rowPage(rows(2), { unreadable: ['spoilt'] })
    await open()
    expect(page.root.querySelector('OpsUnreadableLine')!.props.ids).toEqual(['spoilt'])
    search = () => rowPage([])
    await changed(['r002', 'spoilt'])
    await pass(200)
    expect([ids(), page.root.querySelector('OpsUnreadableLine')]).toEqual([['r001'], null])
  })
})

describe('a search', () => {
  /** Makes a search find `count` submissions, 100 per answer. */
  function finding(count: number) {
    const all = rows(count)
    return ({ body }: Asked) => {
      const { before = '0', limit, only } = body as { before?: string, limit: number, only?: string }
      const found = all.slice(Number(before), Number(before) + Math.min(limit, 100))
      const end = Number(before) + found.length
      return rowPage(only ? [] : found, {
        found: found.map(({ id }) => id), scanned: 200, total: 5000, cursor: end < count ? String(end) : null,
      })
    }
  }

  test('fills the page, then counts, and says how far it is', async () => {
    const rest = gate<undefined>()
    search = asked => 'only' in asked.body ? rest.promise.then(() => finding(160)(asked)) : finding(160)(asked)
    await open('/?q=x')
    await pass(100)
    expect([ids().length, total()]).toEqual([50, '50 so far of 5,000 pending · Looked at 200 of 5,000…'])
    rest.resolve(undefined)
    await pass()
    expect(total()).toBe('160 of 5,000 pending')
  })

  test('does not count past 1,000, and says that there are more', async () => {
    search = finding(3000)
    await open('/?q=x')
    await pass(100)
    expect(total()).toBe('more than 1,000 of 5,000 pending')
  })

  test('of rows that come in pieces lists each once', async () => {
    const pieces = [rowPage(rows(2), { cursor: 'c2' }), rowPage([...rows(1), row('last')], { cursor: null })]
    search = () => pieces.shift()
    await open('/?q=x')
    await pass(100)
    expect([ids(), total()]).toEqual([['r002', 'r001', 'last'], expect.stringContaining('3 of')])
  })

  test('keeps its count when a row leaves the page and another one fills it', async () => {
    search = finding(160)
    await open('/?q=x')
    await pass(100)
    const before = searches().length
    search = asked => 'ids' in asked.body ? rowPage([], { total: 4999 }) : finding(160)(asked)
    await changed(['r160'])
    await pass(250)
    expect([total(), ids().length]).toEqual(['159 of 5,000 pending', 50])
    expect(searches().slice(before).filter(body => 'only' in body)).toEqual([])
  })

  test('that is over is announced once, with its page', async () => {
    search = finding(160)
    await open()
    expect(shown(byId('found'))).toBe('')
    await choose({ state: 'waiting' })
    await press('older')
    await pass(250)
    expect(shown(byId('found'))).toMatch(/^160 of 5,000 pending, page 2\.$/)
  })
})

test.each<[string, number, string | null, number, string]>([
  ['1 of 2 while another one follows', 1, 'c2', 49, '1 of 2'], ['nothing if it is the only one', 1, null, 49, ''],
  ['the last', 2, null, 300, '2 of 2'], ['one of many', 2, 'c3', 300, '2 of 6'],
])('a page of the list is called %s', async (_, number, cursor, count, says) => {
  search = () => rowPage(rows(Math.min(count, 50)), { cursor, total: count })
  await open(number > 1 ? '/?before=x&page=2' : '/')
  expect(shown(byId('page-number'))).toBe(says && `Page ${says}`)
})
