import { describe, expect, test, vi } from 'vitest'
import { defineComponent } from 'vue'
import DecisionBulkDialog from '../../../../app/components/decision/bulk-dialog.vue'
import DecisionDialog from '../../../../app/components/decision/decision-dialog.vue'
import OpsListHead from '../../../../app/components/ops/list/list-head.vue'
import OpsRowActions from '../../../../app/components/ops/row-actions.vue'
import OpsSelectionBar from '../../../../app/components/ops/selection-bar.vue'
import OpsSubmissionRow from '../../../../app/components/ops/submission/submission-row.vue'
import { commandsNow, useCommands } from '../../../../app/composables/ops/use-commands'
import { stopWaitingHere } from '../../../../app/composables/ops/use-connection'
import ListPage from '../../../../pages/index.vue'
import {
  browser, byId, dispatch, Events, gate, handle, key, mount, pass, press, shown, toasts,
} from '../../../support/app/mounted'
import { navigateTo, noAnswer, refusal, route, site, useState } from '../../../support/app/nuxt'
import { page, Part } from '../../../support/app/tree'
import { away, AWAY, details, row, rowPage, serve } from '../../../support/app/service'
import { notice, useReviewer } from '../../../support/app/submission'

const PARTS = { DecisionBulkDialog, DecisionDialog, OpsListHead, OpsRowActions, OpsSelectionBar, OpsSubmissionRow }
useReviewer()

let leave: () => void
let service: ReturnType<typeof serve>

/** Opens the list with the submissions of these ids. */
async function open(ids: string[], changes: Partial<SubmissionDetails> = {}) {
  service = serve(...ids.map((id, index) => details(id, { receivedAt: 1000 - index, ...changes })))
  service.on('/submissions?limit', () => listed())
  service.on('/search', ({ body }) => 'ids' in body
    ? rowPage(listed().rows.filter(({ id }) => (body as { ids: string[] }).ids.includes(id)))
    : listed())
  leave = await mount(ListPage, {}, PARTS)
  await pass(100)
}

const listed = () => rowPage([...service.kept.values()].filter(({ open }) => open).map(each => row(each.id, {
  receivedAt: each.receivedAt, holder: each.holder,
})))
/** Sends the server's event about changed submissions, and waits until removed rows have faded out. */
const changed = async (...ids: string[]) => {
  Events.open.at(-1)!.send('changed', ids)
  await pass(250)
}
const ids = () => page.root.querySelectorAll('[data-testid=row]').map(({ dataset }) => dataset.id)
const focused = () => page.focused?.closest('[data-testid=row]')?.dataset.id ?? page.focused?.tag
const selected = () => shown(byId('selection')?.querySelector('p') ?? null)
const dialog = () => shown(page.root.querySelector('UModal'))
/** Puts the focus into an input outside the list. */
function goElsewhere() {
  const input = Object.assign(new Part('input'), { parent: page.root })
  page.root.children.push(input)
  input.focus()
}
const select = (id: string, event: object = {}) => (
  handle(page.root.querySelector(`[data-id=${id}] [data-testid=select]`)!, 'onClick')(event)
)

describe('keys', () => {
  test('move, open and search', async () => {
    await open(['a', 'b', 'c'])
    for (const [pressed, id] of [['j', 'a'], ['j', 'b'], ['j', 'c'], ['j', 'c'], ['k', 'b']] as const) {
      await key(pressed)
      expect(focused()).toBe(id)
    }
    expect(page.root.querySelectorAll('[data-testid=row] a[tabindex="0"]')).toHaveLength(1)
    page.focused = page.root
    await key('Enter')
    expect(route.path).toBe('/submissions/b')
  })

  test('decide the current row, and the next one has the focus', async () => {
    await open(['a', 'b', 'c'])
    await key('j')
    await key('s')
    expect([service.done, notice(), focused()]).toEqual([[['a', 'spam']], 'Marked as spam. Cards are updating.', 'b'])
    await changed('a')
    expect(ids()).toEqual(['b', 'c'])
    await key('z')
    expect(service.done.at(-1)).toEqual(['a', 'reopen'])
    await key('f')
    expect(dialog()).toContain('Forward this submission?')
    await key('s')
    expect(service.done).toHaveLength(2)
    await press('confirm')
    expect([service.done.at(-1), focused()]).toEqual([['b', 'forward'], 'c'])
    await changed('b')
    await key('t')
    expect([service.done.at(-1), notice(), focused()]).toEqual([
      ['c', 'take'], 'Assigned to you. Cards are updating.', 'c',
    ])
  })

  test('leave alone what is decided, and what another one has is not taken', async () => {
    await open(['a'], { holder: { name: 'Bo', platform: 'Slack', since: 0 } })
    await key('t')
    expect(service.done).toEqual([])
    service.on('/search', () => rowPage([row('a', { open: false, state: 'spam' })]))
    await changed('a')
    for (const pressed of ['f', 's', 't', 'x', 'e']) await key(pressed)
    expect([service.done, dialog(), selected()]).toEqual([[], '', ''])
  })

  test.each([
    ['typed somewhere', { target: new Part('input') }], ['held', { repeat: true }], ['with Control', { ctrlKey: true }],
    ['with Alt', { altKey: true }], ['with Shift', { shiftKey: true, key: 'S' }],
    ['that compose a character', { isComposing: true }],
  ])('%s decide nothing', async (_, pressed) => {
    await open(['a', 'b'])
    await key('s', pressed)
    expect(service.done).toEqual([])
  })

  test('in capitals by caps lock count, and Enter on a link is the link\'s', async () => {
    await open(['a', 'b'])
    await key('Enter', { target: new Part('a') })
    expect(route.path).toBe('/')
    await key('X')
    expect(selected()).toBe('1 selected')
    await key('Escape')
    expect(selected()).toBe('')
  })

  test('that two commands have belong to the first of them, and repeat only where that is meant', async () => {
    await open(['a', 'b', 'c'])
    await key('j')
    await key('j', { repeat: true })
    expect(focused()).toBe('b')
    await mount(defineComponent(() => {
      useCommands(() => [{ key: 'j', label: 'Later', icon: '', run: () => {} }])
      return () => null
    }))
    expect(commandsNow().filter(each => each.key === 'j').map(({ label }) => label)).toEqual(['Later'])
  })

  test('go to the row in the place of one that is gone, and leave alone who is elsewhere', async () => {
    await open(['a', 'b', 'c'])
    await key('j')
    service.kept.delete('a')
    await changed('a')
    expect(focused()).toBe('b')
    goElsewhere()
    service.kept.delete('b')
    await changed('b')
    expect(focused()).toBe('input')
  })

  test('whoever went on before the answer is told, and keeps their place', async () => {
    await open(['a', 'b'])
    for (const [answered, says] of [[away, 'It was not decided: The store does not answer.'], [
      () => refusal(409, { error: 'Bo was faster.' }), 'It was not decided: Bo was faster.',
    ]] as const) {
      const answer = service.hold('/decision', answered)
      await key('j')
      await key('s')
      goElsewhere()
      await answer()
      expect([toasts(), focused(), dialog()]).toEqual([[says], 'input', ''])
      page.focused = page.root
    }
  })

  test('without a connection decide once, when it is back', async () => {
    await open(['a', 'b'])
    service.once('/decision', asked => (service.answer(asked), noAnswer()))
    await key('s')
    await key('s')
    await pass(1001)
    expect([service.done, notice()]).toEqual([[['a', 'spam']], 'Marked as spam. Cards are updating.'])
  })
})

test('who only looks has no deciding keys, no checkboxes and no buttons', async () => {
  useState('sign-in', () => ({})).value = { viewer: { role: 'viewer' } }
  await open(['a', 'b'])
  for (const pressed of ['j', 's', 'f', 'x', 't']) await key(pressed)
  expect([service.done, dialog()]).toEqual([[], ''])
  for (const hand of ['select', 'select-page', 'row-actions']) expect(byId(hand)).toBeNull()
})

describe('selected rows', () => {
  test('are a range with Shift, all of the page, or none', async () => {
    await open(['a', 'b', 'c', 'd'])
    select('a')
    select('c', { shiftKey: true })
    await pass()
    expect(selected()).toBe('3 selected')
    await press('select-page')
    expect([selected(), byId('select-page')!.props.checked]).toEqual(['4 selected', true])
    await press('select-page')
    expect(selected()).toBe('')
  })

  test('stay so while other rows are shown, and not once somebody else decided them', async () => {
    await open(['a', 'b', 'c'])
    for (const id of ['a', 'b']) select(id)
    service.once('/search', () => rowPage([row('x', { state: 'held' })]))
    await navigateTo('/?state=held')
    await pass(250)
    expect([ids(), selected()]).toEqual([['x'], '2 selected'])
    await navigateTo('/')
    await pass(250)
    service.kept.delete('a')
    await changed('a')
    expect(selected()).toBe('1 selected')
  })

  test('are all that match, as far as they were found', async () => {
    await open(['a', 'b'])
    select('a')
    await pass()
    expect(byId('select-all')).toBeNull()
    leave()
    service.on('/submissions?limit', () => rowPage(listed().rows, { cursor: 'c2' }))
    leave = await mount(ListPage, {}, PARTS)
    select('a')
    await pass()
    service.on('/search', ({ body }) => (body as { before?: string }).before
      ? away()
      : rowPage([row('x'), row('y', { open: false }), row('z')], { cursor: 'c2' }))
    await press('select-all')
    expect([toasts(), selected()]).toEqual([['Not all of them were found: The store does not answer.'], '3 selected'])
  })
})

describe('many', () => {
  const MANY = Array.from({ length: 50 }, (_, index) => `m${index}`)
  async function ask(ids: string[], what = 'spam') {
    await open(ids)
    await press('select-page')
    await press(`many-${what}`)
  }
  const asked = () => site.asked.filter(({ path }) => path.endsWith('/decisions'))
    .map(({ body }) => (body as { ids: string[] }).ids.length)

  test('are decided in small requests, can be taken back at once, and are on another page too', async () => {
    await ask(MANY)
    expect(dialog()).toContain('Mark as spam: 50 submissions? Nothing is sent. It can be taken back for 1 h.')
    await press('confirm')
    expect([asked(), dialog()]).toEqual([[20, 20, 10], ''])
    expect(notice()).toBe('50 submissions marked as spam. Cards are updating.')
    await changed(...MANY)
    expect(selected()).toBe('')
    leave()
    await press('Undo')
    expect(notice()).toBe('50 submissions are open again. Cards are updating.')
    expect(service.done.slice(-50)).toEqual(MANY.map(id => [id, 'reopen']))
  })

  test('are left as they are from Stop on, and can be tried again', async () => {
    await ask(MANY)
    const second = gate<undefined>()
    let count = 0
    service.on('/decisions', async (asked) => {
      if (++count === 2) await second.promise
      return service.answer(asked)
    })
    await press('confirm')
    expect(page.root.querySelector('UProgress')!.props).toMatchObject({ 'model-value': 20, 'max': 50 })
    expect(dispatch('beforeunload')).toBe(false)
    await press('bulk-stop')
    second.resolve(undefined)
    await pass()
    expect(dialog()).toContain('40 of 50 marked as spam')
    expect(shown(byId('bulk-errors'))).toBe('10 submissions are as before.')
    await press('Try 10 again')
    expect([asked(), dispatch('beforeunload'), dialog()]).toEqual([[20, 20, 10], true, ''])
    expect(notice()).toBe('50 submissions marked as spam. Cards are updating.')
  })

  test('that were not decided are listed with the reason, and those worth it are tried again', async () => {
    await ask(['a', 'b', 'c'])
    service.once('/decisions', () => ({ results: [
      { id: 'a', status: 409, error: 'Forwarded by Bo.' }, { id: 'b', status: 503, ...AWAY }, { id: 'c', status: 200 },
    ] }))
    await press('confirm')
    expect([dialog(), selected()]).toEqual([
      expect.stringMatching(/1 of 3 marked as spam Close Undo Try 1 again a Forwarded by Bo\. b The store does not answer\./), '1 selected',
    ])
    await press('Undo')
    expect(service.done).toEqual([['c', 'reopen']])
  })

  test('without a connection may be as before, if somebody stops', async () => {
    await ask(['a', 'b'])
    service.once('/decisions', noAnswer)
    await press('confirm')
    stopWaitingHere()
    await pass()
    expect(shown(byId('bulk-errors'))).toBe('2 submissions may be as before.')
    service.once('/decisions', noAnswer)
    await press('confirm')
    await pass(1001)
    expect([service.done.length, notice()]).toEqual([2, '2 submissions marked as spam. Cards are updating.'])
  })

  test('are not left while they are decided, unless somebody says so; what was not decided is told of then', async () => {
    await ask(MANY)
    const answer = service.hold('/decisions')
    await press('confirm')
    await navigateTo('/status')
    expect([browser.questions, route.path]).toEqual([['Stop here? Undecided submissions stay as they are.'], '/'])
    browser.answers = [true]
    await navigateTo('/status')
    leave()
    await answer()
    expect(toasts()).toEqual(['20 of 50 marked as spam: 30 submissions are as before.'])
    expect(asked()).toEqual([20])
  })

  test.each([
    ['forward', 'Each is sent to the recipients of its form. This cannot be undone.'],
    ['take', 'Cards, list and pages show that they are yours until you hand them back.'],
  ])('are asked about before %s', async (what, says) => {
    await ask(['a', 'b'], what)
    expect(dialog()).toContain(says)
    await press('Cancel')
    expect([dialog(), service.done, selected()]).toEqual(['', [], '2 selected'])
  })
})

describe('taking back', () => {
  const undo = () => page.root.querySelectorAll('button').some(each => shown(each) === 'Undo')

  test('that failed is offered again, until it comes too late', async () => {
    await open(['a'])
    await key('s')
    service.once('/decisions', away)
    await press('Undo')
    expect([toasts(), undo()]).toEqual([['It was not taken back: The store does not answer.'], true])
    service.once('/decisions', () => ({ results: [{ id: 'a', status: 409, error: 'Too late.' }] }))
    await press('Undo')
    expect([toasts(), undo(), notice()]).toEqual([['It was not taken back: Too late.'], false, ''])
  })

  test('of many takes back all but those that failed, and offers these again', async () => {
    await open(['a', 'b', 'c'])
    await press('select-page')
    await press('many-spam')
    await press('confirm')
    service.once('/decisions', () => ({ results: [
      { id: 'a', status: 503, ...AWAY }, { id: 'b', status: 200 }, { id: 'c', status: 200 },
    ] }))
    await press('Undo')
    expect(toasts()).toEqual(['Not all of 3 submissions were taken back: The store does not answer.'])
    await press('Undo')
    expect([service.done.at(-1), notice()]).toEqual([
      ['a', 'reopen'], 'Your last decision was undone: the submission is open again. Cards are updating.',
    ])
  })

  test('by key is of what was decided together, not before it, and ends with its time', async () => {
    await open(['a', 'b', 'c'])
    await key('s')
    await changed('a')
    await press('select-page')
    await press('many-spam')
    await press('confirm')
    await key('z')
    expect(service.done.slice(-2)).toEqual([['b', 'reopen'], ['c', 'reopen']])
    service.kept.set('b', details('b'))
    await changed('b')
    await key('s')
    await pass(13_000)
    expect(undo()).toBe(false)
    vi.setSystemTime(Date.now() + 3_600_000)
    const before = service.done.length
    await key('z')
    expect(service.done).toHaveLength(before)
  })

  test('the notice stays while it is read', async () => {
    await open(['a'])
    await key('s')
    const line = byId('notice')!
    handle(line, 'onPointerenter')()
    await pass(60_000)
    expect(byId('notice')).not.toBeNull()
    handle(line, 'onPointerleave')()
    await pass(12_001)
    expect(byId('notice')).toBeNull()
  })
})
