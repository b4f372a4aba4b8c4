import { describe, expect, test } from 'vitest'
import { stopWaiting, useConnection } from '../../../../app/composables/ops/use-connection'
import {
  browser, byId, dispatch, Events, key, pass, press, shown, submit, toasts, type, typed, use,
} from '../../../support/app/mounted'
import { navigateTo, noAnswer, refusal, site } from '../../../support/app/nuxt'
import { away, details } from '../../../support/app/service'
import { notice, open as openFirst, shownId, useReviewer } from '../../../support/app/submission'

useReviewer()

let leave: () => void
let service: Awaited<ReturnType<typeof openFirst>>['service']
async function open(...submissions: SubmissionDetails[]) {
  ({ service, leave } = await openFirst(...submissions))
}

describe('whoever leaves before a decision is answered', () => {
  test.each([
    [away, 'It was not decided: The store does not answer.', ''],
    [() => refusal(423, { error: 'Bo has it.' }), 'It was not decided: Bo has it.', ''],
    [() => refusal(409, { error: 'Bo was faster.' }), 'Already decided: Bo was faster.', ''],
    [() => ({}), undefined, 'Marked as spam. Cards are updating.'],
  ])('is told where they are, and stays there: %#', async (answered, toast, said) => {
    await open(details('a'))
    const answer = service.hold('/decision', answered)
    await key('s')
    await navigateTo('/')
    leave()
    await answer()
    expect([toasts(), notice(), site.visited.at(-1)]).toEqual([toast ? [toast] : [], said, '/'])
  })

  test('of an edit is told of it too, whether they left its form or its page', async () => {
    for (const isCancelled of [true, false]) {
      await open(details('a'))
      await press('decide-edit')
      await type('edit-f0', 'Ivo')
      const answer = service.hold('/decision', away)
      await submit()
      browser.answers = [true]
      if (isCancelled) await press('edit-cancel')
      else leave()
      await answer()
      expect(toasts()).toEqual(['It was not decided: The store does not answer.'])
      if (isCancelled) leave()
    }
  })

  test.each([[() => ({}), 'its card is on its way.'], [away, 'The store does not answer.']])(
    'before a card is posted again is told of which submission it is: %#', async (answered, says) => {
      const problem = { what: 'x', reason: 'y', nextAttemptAt: 1, refused: true }
      await open(details('abcdefgh-1', { problem }))
      const answer = service.hold('/cards', answered)
      await press('Post the card again')
      leave()
      await answer()
      expect(toasts()).toEqual([`Submission abcdefgh: ${says}`])
    },
  )
})

describe('what was typed', () => {
  test('is thrown away by who says so alone, whether they press Cancel or leave', async () => {
    await open(details('a'))
    await press('decide-edit')
    await type('edit-f0', 'Typed with care')
    await press('edit-cancel')
    await navigateTo('/')
    expect([shownId(), typed('edit-f0')]).toEqual(['a', 'Typed with care'])
    expect(dispatch('beforeunload')).toBe(false)
    browser.answers = [true]
    await press('edit-cancel')
    expect(browser.questions).toEqual(Array.from({ length: 3 }, () => 'Throw away what you typed?'))
    await press('decide-edit')
    expect(typed('edit-f0')).toBe('Ada')
    await press('edit-cancel')
    expect([browser.questions.length, byId('edit-form')]).toEqual([3, null])
  })

  test('stays while a faster decision stands, and is sent once that is taken back', async () => {
    await open(details('a'))
    await press('decide-edit')
    await type('edit-f0', 'Typed')
    service.kept.set('a', details('a', {
      state: 'spam', open: false, notes: ['Marked as spam by Bo'], revocation: { action: 'reopen' } as never,
    }))
    Events.open[0]!.send('changed', ['a'])
    await pass()
    expect(shown(byId('refusal'))).toContain('Marked as spam by Bo')
    await key('Enter', { ctrlKey: true })
    expect(service.done).toEqual([])
    service.kept.set('a', details('a'))
    Events.open[0]!.send('changed', null)
    await pass()
    expect([byId('refusal'), typed('edit-f0')]).toEqual([null, 'Typed'])
  })

  test('is sent as far as it was changed; errors stand under their field', async () => {
    await open(details('a', { fields: ['name', 'text'].map((label, at) => (
      { id: `f${at}`, key: label, label, kind: 'text', value: label, edited: false }
    )) }))
    await press('decide-edit')
    await type('edit-f1', 'new')
    const bodies: object[] = []
    service.once('/decision', ({ body }) => {
      bodies.push(body)
      return refusal(400, { error: 'Check it.', errors: { f1: 'Too new.' } })
    })
    await submit()
    expect(bodies).toEqual([expect.objectContaining({ action: 'edit', values: { f1: 'new' } })])
    expect(shown()).toContain('Too new.')
    await submit()
    await pass(1)
    expect([service.done, notice()]).toEqual([[['a', 'edit']], 'Forwarded. Cards are updating.'])
  })
})

const spam = () => details('a', { open: false, state: 'spam', revocation: { action: 'reopen' } as never })

describe('an action without a connection', () => {
  test.each([
    ['take', 't', details('a', { taking: 'take' }), 'Assigned to you. Cards are updating.'],
    ['hand-back', 't', details('a', { taking: 'hand-back' }), 'Handed back. Cards are updating.'],
    ['spam', 's', details('a'), 'Marked as spam. Cards are updating.'],
    ['reopen', 'z', spam(), 'Open again. Cards are updating.'],
    ['release', 'r', details('a', { open: false, state: 'held' }), 'Released. Its cards are on their way.'],
  ])('%s is done once: not sent, or its answer lost', async (action, pressed, submission, says) => {
    for (const isSent of [false, true]) {
      await open(submission)
      const { isWaiting, isLost } = await use(useConnection)
      service.once('/decision', asked => (isSent && service.answer(asked), noAnswer()))
      await key(pressed)
      expect([isWaiting.value, isLost.value]).toEqual([true, true])
      await key(pressed)
      await pass(1001)
      expect([isWaiting.value, isLost.value, service.done, notice()]).toEqual([false, false, [['a', action]], says])
      leave()
    }
  })

  test('that is stopped is not sent, and what was asked stays', async () => {
    await open(details('a', { revocableMs: { forward: 0, spam: 0 } }))
    await press('decide-forward')
    service.once('/decision', noAnswer)
    await press('confirm')
    expect(shown(byId('waiting'))).toContain('Your action is sent, once, when the connection is back.')
    stopWaiting()
    await pass(5000)
    expect(service.done).toEqual([])
    expect(shown(byId('refusal'))).toContain('It is not sent again.')
    await press('confirm')
    expect(service.done).toEqual([['a', 'forward']])
  })
})

describe('a question', () => {
  const question = () => byId('confirm')?.closest('UModal') ?? null

  test.each([
    ['forward', 'It is sent to triage@example.com.', details('a')],
    ['resend', 'The email bounced.', details('a', { sendAgain: 'x@example.com' })],
    ['spam', 'This cannot be undone.', details('a', { revocableMs: { forward: 0, spam: 0 } })],
    ['erase', 'What was sent elsewhere stays there.', details('a')],
  ])('before %s says what follows, and cancelled changes nothing', async (what, says, submission) => {
    await open(submission)
    const ask = () => press(what === 'erase' ? 'erase' : `decide-${what}`)
    await ask()
    expect(shown(question())).toContain(says)
    await press('Cancel')
    expect([question(), service.done]).toEqual([null, []])
    await ask()
    await press('confirm')
    expect(service.done).toEqual([['a', what]])
  })

  test('says so when somebody else was faster, and leads on once it was read', async () => {
    await open(details('a', { revocableMs: { forward: 0, spam: 0 } }), details('b'))
    await press('decide-forward')
    await service.change('a', { open: false, state: 'done', notes: ['Forwarded by Bo'] })
    expect([shown(byId('refusal')), byId('confirm')]).toEqual([expect.stringContaining('Forwarded by Bo'), null])
    await press('Close')
    expect(shownId()).toBe('b')
  })

  test('that a wrong address answers keeps it, with what is wrong', async () => {
    await open(details('a', { sendAgain: 'x@example.com' }))
    await press('decide-resend')
    await type('resend-to', 'nobody')
    service.once('/decision', () => refusal(400, { error: 'No.', errors: { to: 'This is not an email address.' } }))
    await press('confirm')
    expect(shown()).toContain('This is not an email address.')
    expect(site.asked.at(-2)!.body).toMatchObject({ action: 'resend', to: 'nobody' })
  })
})
