import { describe, expect, test } from 'vitest'
import DecisionEditForm from '../../../../app/components/decision/edit-form.vue'
import FieldValue from '../../../../app/components/field/field-value.vue'
import FieldValueText from '../../../../app/components/field/value-text.vue'
import FieldValueTree from '../../../../app/components/field/value-tree.vue'
import ListEmpty from '../../../../app/components/ops/list/list-empty.vue'
import ListFilters from '../../../../app/components/ops/list/list-filters.vue'
import { useSavedViews } from '../../../../app/composables/list/use-saved-views'
import { errorLine } from '../../../../app/composables/sandbox/use-sandbox'
import { browser, byId, mount, press, shown, typed, use } from '../../../support/app/mounted'
import { noAnswer, refusal, useState } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'

describe('an empty list', () => {
  test.each<[string, ListFilter]>([
    ['Nothing waits for a decision', { state: 'waiting' }],
    ['Nothing is being delivered', { state: 'delivering' }],
    ['Nothing is being tried again', { state: 'retrying' }],
    ['Nothing failed', { state: 'failed' }],
    ['Nothing is held', { state: 'held' }],
    ['No spam is kept', { state: 'spam' }],
    ['Nothing is done yet', { state: 'done', sort: 'oldest' }],
    ['You have no submissions', { holder: 'mine' }],
    ['Nothing is free to take', { holder: 'free' }],
    ['Nobody has taken a submission', { holder: 'taken' }],
    ['No pending submission matches', { q: 'x' }],
    ['No finished submission matches', { q: 'x', state: 'done' }],
    ['No held submission matches', { q: 'x', state: 'held' }],
    ['No spam matches', { q: 'x', state: 'spam' }],
  ])('says %s', async (title, filter) => {
    await mount(ListEmpty, { filter, unreadable: false })
    const id = ['held', 'spam', 'done'].includes(filter.state!) && !filter.q ? `none-${filter.state}` : 'no-match'
    expect(byId(id)!.props.title).toBe(title)
  })

  test('of all says how to send a form, and of one that cannot be read that nothing else waits', async () => {
    useState('ops-context', () => ({ formUrl: '/api/form', curl: 'curl /api/form -d x', sandbox: false }))
    await mount(ListEmpty, { filter: {}, unreadable: true })
    expect(shown(byId('empty'))).toMatch(/^Nothing else is waiting .* POST http:\/\/own\.invalid\/api\/form/)
    expect(page.root.querySelector('SandboxCodeBlock')!.props.code).toBe('curl http://own.invalid/api/form -d x')
    expect(byId('open-sandbox')).toBeNull()
  })

  test('of a search that still runs says how far it is', async () => {
    await mount(ListEmpty, { filter: { q: 'x' }, looked: 'Looked at 200 of 5,000…', unreadable: false })
    expect(byId('no-match')!.props).toMatchObject({ title: 'No match so far', description: 'Looked at 200 of 5,000…' })
  })
})

test('what is chosen under More is on its button', async () => {
  useState('sign-in', () => ({ takes: false }))
  const counts = { states: {}, holders: {}, forms: [{ key: 'jobs', label: 'Jobs' }], platforms: [] }
  await mount(ListFilters, { filter: { form: 'jobs', platform: 'gone', sort: 'oldest' }, q: '', counts })
  expect(byId('options')!.props.label).toBe('Jobs · gone · Oldest first')
  expect(page.root.querySelectorAll('OpsFilterGroup').map(({ props }) => props.label)).not.toContain('Who has it')
})

test('views are kept by their names, 20 at most', async () => {
  const { views, save, remove } = await use(useSavedViews)
  for (let number = 1; number <= 21; number++) save(`v${number}`, { q: `${number}` })
  save('v2', { q: 'again' })
  expect([views.value.length, views.value[0]!.name]).toEqual([20, 'v3'])
  expect(views.value.at(-1)).toEqual({ name: 'v2', filter: { q: 'again' } })
  remove('v2')
  expect(views.value.some(({ name }) => name === 'v2')).toBe(false)
})

describe('a value', () => {
  const PARTS = { FieldValue, FieldValueText, FieldValueTree }
  const showing = (kind: string, value: string, more: object = {}) => (
    mount(FieldValue, { field: { kind, value }, ...more }, PARTS)
  )

  test('is text, whatever it holds; its addresses are asked about, and hidden characters are marked', async () => {
    await showing('text', '<img src=x> https://google.com@xn--pple-43d.com/x. javascript:alert(1)\rtwo\u202E')
    expect(page.root.querySelector('img')).toBeNull()
    expect(page.root.querySelectorAll('[data-testid=address]').map(shown)).toEqual(['https://google.com@xn--pple-43d.com/x'])
    expect(page.root.textContent).toContain('<img src=x>')
    expect(page.root.textContent).toMatch(/alert\(1\)\ntwo/)
    expect(page.root.textContent).not.toContain('\u202E')
    await press('address')
    expect(useState('looked-at', () => null).value).toBe('https://google.com@xn--pple-43d.com/x')
  })

  test('that is long is folded, and unfolds in steps of 20,000 characters', async () => {
    await showing('text', 'Dear team,\n'.repeat(4000))
    expect(shown().length).toBeLessThan(800)
    await press('Show 20,000 more of 44,000 characters')
    expect(shown().length).toBeGreaterThan(19_000)
    await press('Show 20,000 more of 44,000 characters')
    await press('Show all 44,000 characters')
    expect(shown()).toMatch(/team, Show less$/)
    await press('Show less')
    expect(shown().length).toBeLessThan(800)
  })

  test('that is an object is a tree with numbers as they were sent, and items counted from 1', async () => {
    await showing('tree', '{"items":[{"sku":98765432109876543210,"price":2.50}],"":"gate","floor":"","text":"a\\rb"}')
    expect(shown()).toBe('items 1 item 1. 2 fields sku 98765432109876543210 price 2.50 (no name) gate floor empty text a b')
    await showing('tree', '[]')
    expect(shown()).toMatch(/empty$/)
  })

  test('that is a vast tree is shown in steps, and only its first level opens among much else', async () => {
    await showing('tree', JSON.stringify({ list: Array.from({ length: 20_000 }, () => ({})) }))
    expect(page.root.querySelectorAll('li').length).toBeLessThan(150)
    await press('Show 100 more of 20,000 items')
    expect(page.root.querySelectorAll('li').length).toBeGreaterThan(150)
    page.root.children.splice(0)
    await showing('tree', '[[1],[2]]', { isCrowded: true })
    expect(page.root.querySelectorAll('li li')).toHaveLength(0)
  })

  test('is printed in full, without buttons', async () => {
    browser.media.add('print')
    await showing('tree', JSON.stringify([[Array.from({ length: 60 }, (_, at) => `Engine ${at} ${'x'.repeat(30)} https://a.example`)]]))
    expect(shown().match(/Engine/g)).toHaveLength(60)
    expect(page.root.querySelectorAll('button')).toEqual([])
  })
})

describe('a field that is edited', () => {
  const field = (changes: object) => ({ id: 'f0', label: 'x', kind: 'text', value: '', ...changes })
  const edit = (fields: object[]) => mount(DecisionEditForm, { fields, over: null, decide: async () => null })

  test.each<[string, object, object]>([
    ['a date', { type: 'date', value: '2026-11-22' }, { type: 'date' }],
    ['what is no date, as text', { type: 'date', value: 'soon' }, { type: 'text', dir: 'auto' }],
    ['a number', { type: 'integer', value: '2' }, { inputmode: 'decimal' }],
    ['an address of email', { type: 'email', value: 'a' }, { inputmode: 'email' }],
    ['a long text', { value: 'x'.repeat(80) }, { autoresize: true }],
    ['a vast text, in a box of one height', { value: 'x\n'.repeat(40_000) }, { rows: 16 }],
    ['an object, on many lines and exact', { kind: 'tree', value: '{"a":1.0}' }, { 'model-value': '{\n  "a": 1.0\n}' }],
  ])('is offered as what it takes: %s', async (_, changes, props) => {
    await edit([field(changes)])
    const actual = byId('edit-f0')!.props
    expect(actual).toMatchObject(props)
    // For a huge text, resizing the input at each key press would take seconds.
    expect('autoresize' in actual).toBe('autoresize' in props || 'model-value' in props)
  })

  test('is no file that came as a text', async () => {
    await edit([field({ value: 'data:image/png;base64,iVBORw0KGgo=' }), field({ id: 'f1', value: 'Hi' })])
    expect([byId('edit-f0'), byId('edit-f1')!.props['model-value']]).toEqual([null, 'Hi'])
  })

  test('is chosen from what its form offers, and keeps what it does not offer any more', async () => {
    const options = (id: string) => byId(id)!.querySelectorAll('option').map(shown)
    const box = field({ id: 'f1', type: 'checkbox', value: 'true' })
    await edit([field({ options: ['Small', 'Large'], value: 'Gone' }), box])
    expect([options('edit-f0'), options('edit-f1')]).toEqual([['Gone', 'Small', 'Large'], ['Yes', 'No']])
  })

  test('stays as it is if it has so many marks that browsers stop at it', async () => {
    await edit([field({ value: `a${'\u0301'.repeat(60_000)}` })])
    expect(shown(byId('fixed-f0'))).toContain('forwarded as it is')
    expect(typed('f0')).toBeUndefined()
  })

  test('is one of 200 at first, of vast forms', async () => {
    await edit(Array.from({ length: 24_000 }, (_, at) => field({ id: `f${at}` })))
    expect(page.root.querySelectorAll('input')).toHaveLength(200)
    expect(shown(byId('more-inputs'))).toBe('Show 100 more of 24,000 fields')
  })
})

test.each<[unknown, string]>([
  [refusal(503, { error: 'Its own words.' }), 'Its own words.'], [refusal(503, { message: 'Words.' }), 'Words.'],
  [refusal(503), 'The server answered 503.'], [noAnswer(), 'The server cannot be reached.'],
  [new Error('Clear words.'), 'Clear words.'], [new TypeError('Failed to fetch'), 'The server cannot be reached.'],
  [Object.assign(new Error('<no response>'), { name: 'FetchError' }), 'The server cannot be reached.'],
  [refusal(409, { line: ['Since ', { at: 0, shows: 'date' }] }), expect.stringMatching(/^Since .*19[67]\d/) as string],
])('an error is told in words: %#', (error, says) => expect(errorLine(error)).toEqual(says))
