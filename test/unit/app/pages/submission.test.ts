import { describe, expect, test } from 'vitest'
import { useQueueRows } from '../../../../app/composables/list/use-queue-rows'
import { commandsNow } from '../../../../app/composables/ops/use-commands'
import { stopWaitingHere } from '../../../../app/composables/ops/use-connection'
import { browser, byId, dispatch, Events, gate, key, pass, press, shown, toasts } from '../../../support/app/mounted'
import { navigateTo, noAnswer, refusal, site } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'
import { away, details, row, rowPage, serve } from '../../../support/app/service'
import { notice, open as openFirst, openPage, shownId, useReviewer } from '../../../support/app/submission'

useReviewer()

let leave: () => void
let service: Awaited<ReturnType<typeof openFirst>>['service']
async function open(...submissions: SubmissionDetails[]) {
  ({ service, leave } = await openFirst(...submissions))
}
const three = () => ['a', 'b', 'c'].map(id => details(id))

describe('a decision that can be taken back', () => {
  test('shows the next one before it is answered, and is told of no sooner', async () => {
    await open(...three())
    const answer = service.hold('/a/decision')
    await key('s')
    expect([shownId(), notice()]).toEqual(['b', ''])
    expect(dispatch('beforeunload')).toBe(false)
    await key('z')
    expect(service.done).toEqual([])
    await answer()
    expect([notice(), dispatch('beforeunload')]).toEqual(['Marked as spam. Cards are updating.', true])
    expect(service.done).toEqual([['a', 'spam']])
  })

  test('that failed waits again, and all is said to be done only after the last answer', async () => {
    await open(...three())
    service.once('/a/decision', away)
    await key('s')
    expect(toasts()).toEqual(['It was not decided: The store does not answer.'])
    await key('s')
    expect(shownId()).toBe('c')
    const answer = service.hold('/c/decision')
    service.kept.set('a', { ...service.kept.get('a')!, open: false, state: 'done' })
    Events.open[0]!.send('changed', ['a'])
    await pass()
    await key('s')
    expect(byId('all-done')).toBeNull()
    await answer()
    expect(byId('all-done')).not.toBeNull()
    await key('k')
    expect([byId('all-done'), shownId()]).toEqual([null, 'c'])
  })

  test('without an answer is sent again, once, however far somebody went on', async () => {
    await open(...three())
    service.once('/a/decision', asked => (service.answer(asked), noAnswer()))
    await key('s')
    await key('j')
    stopWaitingHere()
    expect([shownId(), dispatch('beforeunload')]).toEqual(['c', false])
    await pass(1000)
    expect([service.done, notice()]).toEqual([[['a', 'spam']], 'Marked as spam. Cards are updating.'])
  })

  test.each([['as they were asked for', [0, 1]], ['the last one first', [1, 0]]])(
    'of two answers that come %s the last decision alone is taken back', async (_, order) => {
      await open(...three())
      const gates = [gate<undefined>(), gate<undefined>()]
      for (const [at, id] of ['a', 'b'].entries()) {
        service.once(`/${id}/decision`, asked => gates[at]!.promise.then(() => service.answer(asked)))
      }
      await key('s')
      await key('s')
      for (const at of order) {
        gates[at]!.resolve(undefined)
        await pass(1)
        expect(commandsNow().some(({ label }) => label === 'Undo the last decision')).toBe(at === 1 || order[0] === 1)
      }
      await key('z')
      expect(service.done.at(-1)).toEqual(['b', 'reopen'])
    },
  )

  test('of what somebody else has waits for an answer, and asks', async () => {
    await open(details('a', { holder: { name: 'Bo', platform: 'Slack', since: 0 } }), details('b'))
    service.once('/decision', () => refusal(423, { error: 'Bo has it.' }))
    await key('s')
    expect([shownId(), shown(byId('refusal'))]).toEqual(['a', 'Bo has it.'])
    await press('confirm')
    expect(shownId()).toBe('b')
  })

  test('does not wait for the next one where there is no connection', async () => {
    await open(...three())
    browser.isOnline = false
    dispatch('offline')
    service.once('/decision', noAnswer)
    await key('s')
    expect(shownId()).toBe('a')
    browser.isOnline = true
    dispatch('online')
    await pass(1000)
    expect(shownId()).toBe('b')
  })

  test('that came too late says who was faster, and goes on', async () => {
    await open(...three())
    service.once('/decision', () => refusal(409, { error: 'Marked as spam by Bo.' }))
    await key('s')
    expect([toasts(), shownId()]).toEqual([['Already decided: Marked as spam by Bo.'], 'b'])
  })

  test('that is not answered yet is not what comes next', async () => {
    await open(details('a'), details('b'))
    const answer = service.hold('/a/decision')
    await key('s')
    expect([shownId(), page.root.querySelector('[data-next]')]).toEqual(['b', null])
    await answer()
  })

  test('ends the offer to take back the one before it', async () => {
    await open(...three())
    await key('s')
    await pass(1)
    const answer = gate<object>()
    service.once('/b/decision', () => answer.promise)
    await key('s')
    await key('z')
    expect(service.done).toEqual([['a', 'spam']])
    answer.resolve({})
  })
})

describe('what comes next', () => {
  test('is not what somebody else decided, changed or may not be decided by the viewer', async () => {
    const held = details('d', { state: 'held', open: false })
    await open(details('a'), details('b'), details('c', { mayDecide: false }), held)
    const answer = gate<undefined>()
    leave()
    const stale = details('b')
    service.once('/submissions/b', () => answer.promise.then(() => stale))
    leave = await openPage('a')
    service.kept.set('b', details('b', { open: false, state: 'done' }))
    Events.open.at(-1)!.send('changed', ['b'])
    answer.resolve(undefined)
    await pass()
    expect(byId('decide-spam')).not.toBeNull()
    await key('s')
    expect(shownId()).toBe('d')
  })

  test('stands on the next page of the list, or at its top, and is none that is over', async () => {
    service = serve(details('a'), details('b'))
    useQueueRows().value = { rows: [row('b'), row('a'), row('gone')], cursor: 'more', filter: { q: 'x' } }
    service.once('/search', () => rowPage([row('c', { open: false })]))
    leave = await openPage('a')
    expect(site.asked.find(({ path }) => path.endsWith('/search'))!.body).toMatchObject({ before: 'more', q: 'x' })
    await key('s')
    expect(shownId()).toBe('b')
  })

  test('cannot be looked for while the store is away: that is said, and the key works later', async () => {
    service = serve(details('a'), details('b'))
    useQueueRows().value = { rows: [row('a')], cursor: 'more', filter: {} }
    service.on('/search', away)
    leave = await openPage('a')
    await key('j')
    expect([shownId(), toasts()]).toEqual([
      'a', ['Cannot look for the next submission just now: Try again in a moment.'],
    ])
    service.off()
    service.once('/search', () => rowPage([row('b')]))
    await key('j')
    expect(shownId()).toBe('b')
  })

  test('leads nobody on who left while it was looked for', async () => {
    await open(...three())
    leave()
    const answer = gate<undefined>()
    service.on('/submissions/b', asked => answer.promise.then(() => service.answer(asked)))
    leave = await openPage('a')
    await key('s')
    await navigateTo('/status')
    leave()
    answer.resolve(undefined)
    await pass(1)
    expect(site.visited.at(-1)).toBe('/status')
  })

  test('does not come after a submission that was opened by a link', async () => {
    await open(...three())
    useQueueRows().value = { rows: [], cursor: null, filter: {} }
    await key('s')
    expect(shownId()).toBe('a')
    expect(shown(byId('decide-spam'))).toBe('')
  })

  test('was loaded before it opens, and is loaded anew whenever it opens again', async () => {
    await open(...three())
    const count = () => site.asked.filter(({ path }) => path.endsWith('/b')).length
    await key('s')
    expect([shownId(), count()]).toEqual(['b', 1])
    leave()
    leave = await openPage('b')
    expect(count()).toBe(2)
  })

  test('is asked for again when it has changed after it was loaded', async () => {
    await open(...three())
    const count = () => site.asked.filter(({ path }) => path.endsWith('/b')).length
    const before = count()
    Events.open[0]!.send('changed', ['b'])
    await pass()
    expect(count()).toBe(before + 1)
    Events.open[0]!.send('changed', ['z'])
    await pass()
    expect(count()).toBe(before + 1)
  })
})

describe('what is shown', () => {
  test.each([
    [404, 'No such submission'], [410, 'This submission is over'],
  ])('of a submission that is answered %i', async (status, title) => {
    await open(details('a'))
    leave()
    service.on('/submissions/a', () => refusal(status, { error: 'Erased by Bo.' }))
    leave = await openPage('a')
    expect(shown(byId('submission-ended'))).toMatch(RegExp(`${title}.*Erased by Bo`))
  })

  test('of one that cannot be read is what to do, and it is erased only after a question', async () => {
    await open(details('a'))
    leave()
    service.on('/submissions/a', asked => asked.path.endsWith('decision')
      ? service.answer(asked)
      : refusal(500, { error: 'It cannot be read.', code: 'SUBMISSION_UNREADABLE' }))
    leave = await openPage('a')
    await press('Erase it')
    expect(service.done).toEqual([])
    browser.answers = [true]
    await press('Erase it')
    expect(service.done).toEqual([['a', 'erase']])
  })

  test('has buttons as soon as it is known who may decide', async () => {
    await open(details('a', { mayDecide: null as never }))
    expect(shown()).toContain('Reviewers cannot be looked up just now. Trying again…')
    service.kept.set('a', details('a'))
    await pass(3000)
    expect(byId('decide-spam')).not.toBeNull()
    await service.change('a', { mayDecide: false })
    await key('s')
    expect([byId('decide-spam'), service.done]).toEqual([null, []])
  })

  test('is loaded again until it can be, and says so meanwhile', async () => {
    await open(details('a'))
    leave()
    service.once('/submissions/a', away)
    leave = await openPage('a')
    expect(shown(byId('submission-error'))).toContain('The submission cannot be shown The store does not answer.')
    await pass(3000)
    expect(byId('decide-spam')).not.toBeNull()
  })

  test('the key that takes back is of what is shown, not of what was decided last, and stands once among the commands', async () => {
    await open(...three())
    for (const _ of [1, 2]) await key('s')
    await pass(1)
    for (const _ of [1, 2]) await key('k')
    expect(shownId()).toBe('a')
    expect(commandsNow().filter(each => each.key === 'z').map(({ label }) => label)).toEqual(['Not spam'])
    await key('z')
    expect(service.done.at(-1)).toEqual(['a', 'reopen'])
  })
})
