import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editModal, noticeModal, sendAgainModal } from '../../../../server/adapters/chat/modals'
import { platforms } from '../../../../server/platforms/registry'
import { isPlainModal, modalView } from '../../../../server/platforms/slack/blocks'
import { editForm } from '../../../../server/domain/cards/card-view'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formData } from '../../../fixtures/form-data'
import { manyFields, PRESENTATION, submissionOf } from '../../../fixtures/views'
import { viewProblems } from '../../../support/block-kit'
import { runs } from '../../../support/properties'
import type { Block } from '../../../support/slack'

const formOf = (data: SubmissionData) => editForm(submissionOf(data), PRESENTATION)
const slackModal = (data: SubmissionData) => editModal(formOf(data), 'slack')!
const slackView = (data: SubmissionData) => modalView(slackModal(data), 'context') as Block

const inputsOf = (view: Block) => (view.blocks as Block[]).filter(({ type }) => type === 'input')
const textOf = (view: Block) => (
  (view.blocks as Block[]).filter(({ type }) => type === 'section').map(({ text }) => text.text as string)
)

describe('the edit form on Slack', () => {
  test('is one that Slack takes, whatever the form', () => {
    fc.assert(fc.property(formData, (data) => {
      expect(viewProblems(slackView(data))).toEqual([])
    }), { numRuns: runs(300) })
  })

  test.each([0, 1, 60, 95, 96, 500])('with %i fields is one that Slack takes, and nothing gets lost', (count) => {
    const view = slackView(manyFields(count))
    expect(viewProblems(view)).toEqual([])
    expect(inputsOf(view).length).toBe(Math.min(count, 95))
  })

  test.each([
    'a', 'é', '👍', '\u0001', '"', '\n',
  ])('with 95 values of 3,000 times %j is one that Slack takes', (unit) => {
    const value = unit.repeat(3000).slice(0, 3000)
    const view = slackView(Object.fromEntries(Object.keys(manyFields(95)).map(key => [key, value])))
    expect(viewProblems(view)).toEqual([])
    expect(inputsOf(view).length).toBeGreaterThan(5)
  })

  test('offers the whole value of every input, under its position', () => {
    fc.assert(fc.property(formData, (data) => {
      const form = formOf(data)
      for (const { block_id, element } of inputsOf(slackView(data))) {
        expect(element.action_id).toBe(block_id)
        expect(element.initial_value ?? '').toBe(form.inputs.find(({ id }) => id === block_id)!.value)
      }
    }))
  })

  test('counts what is kept beyond ten names', () => {
    const [note] = textOf(slackView(manyFields(500)))
    expect(note).toContain('“key 95”, “key 96”')
    expect(note).toContain('“key 104” and 395 more.')
  })

  test('gives a field without a name one, offered or kept', () => {
    expect(inputsOf(slackView({ '': 'a' })).map(({ label }) => label.text)).toEqual(['(no name)'])
    expect(textOf(slackView({ '': 'x'.repeat(3001) }))[0]).toContain('“(no name)”')
  })

  test('of an empty form says so and can still be forwarded', () => {
    const view = slackView({})
    expect(textOf(view)).toEqual(['The form was empty: there is nothing to edit. Forwarding sends it as it is.'])
    expect(view.submit).toMatchObject({ text: 'Forward' })
  })

  test('lets every input be emptied, and shows long text on several lines', () => {
    const inputs = inputsOf(slackView({ short: 'a', long: 'x'.repeat(81), lines: 'a\nb' }))
    expect(inputs.map(({ optional, element }) => [optional, element.multiline])).toEqual([
      [true, false], [true, true], [true, true],
    ])
  })

  test('holds no markup: every text is literal', () => {
    fc.assert(fc.property(formData, (data) => {
      const { title, submit, close, blocks } = slackView(data)
      const texts = [title, submit, close, ...(blocks as Block[]).map(({ text, label }) => text ?? label)] as Block[]
      expect(texts.every(({ type, emoji }) => type === 'plain_text' && emoji === false)).toBe(true)
    }))
  })

  test('carries marks of what it shows, and the SDK context', () => {
    const view = slackView({ a: 'b', essay: 'x'.repeat(50_000), c: 'b' })
    expect(view.callback_id).toBe('edit')
    expect(JSON.parse(view.private_metadata)).toEqual({ c: 'context', m: 'f0.3e23e816 f2.3e23e816' })
  })
})

test('the sandbox offers long values that Slack cannot', () => {
  const ids = editModal(
    formOf({ essay: 'x'.repeat(20_000), book: 'x'.repeat(20_001) }), 'sandbox',
  )!.children.flatMap(child => child.type === 'text_input' ? child.id : [])
  expect(ids).toEqual(['f0'])
})

test('a platform that is unknown has no edit form', () => expect(editModal(formOf({ a: 'b' }), 'fax')).toBeNull())

test('what is not offered is exactly what is named as kept, on every platform that has modals', () => {
  fc.assert(fc.property(formData, fc.constantFrom(...platforms), (data, { key, modal }) => {
    const form = formOf(data)
    const editForm = editModal(form, key)
    expect(editForm === null).toBe(modal === null)
    if (!editForm) return
    const { children } = editForm
    const keptCount = form.inputs.length - children.filter(({ type }) => type === 'text_input').length
    const [note] = children.flatMap(child => child.type === 'text' && child.content.startsWith('These can\'t be edited')
      ? child.content
      : [])
    const beyond = Number(/” and (\d+) more\. See/.exec(note ?? '')?.[1] ?? 0)
    expect(beyond).toBe(Math.max(0, keptCount - 10))
    expect(note === undefined).toBe(keptCount === 0)
  }))
})

describe('the form of Send again', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `member-${index}@mail.example.com`)
  const offered = (to: string[], key: string) => {
    const { children } = sendAgainModal({ to }, key)!
    return children.map(child => (
      child.type === 'text' ? child.content : child.type === 'text_input' ? [child.initialValue, child.optional] : child
    ))
  }
  const withForms = platforms.flatMap(({ key, modal }) => modal ? [{ key, most: modal.value }] : [])

  test.each(withForms)('on $key has the addresses where it went, all or none, and says where it goes then', ({ key, most: maxLength }) => {
    for (const count of [1, 6, 50, 600]) {
      const text = addresses(count).join(', ')
      expect(offered(addresses(count), key)).toEqual(text.length <= maxLength
        ? [[text, false]]
        : [`It goes to the same ${count} addresses again, unless you type others.`, ['', true]])
    }
  })

  test('is one that Slack takes', () => {
    for (const count of [1, 6, 50, 100]) {
      const modal = sendAgainModal({ to: addresses(count) }, 'slack')!
      expect(viewProblems(modalView(modal, 'context'))).toEqual([])
    }
  })
})

test('a notice is plain text that cannot be submitted', () => {
  const modal = noticeModal('Forwarded by Ada.')
  const view = modalView(modal, undefined) as Block
  expect(isPlainModal(modal)).toBe(true)
  expect(viewProblems(view)).toEqual([])
  expect(textOf(view)).toEqual(['Forwarded by Ada.'])
  expect(view).not.toHaveProperty('submit')
})

test('a notice tells of a moment by the clock of its reader', () => {
  const view = modalView(noticeModal(['Forwarded at ', { at: 1_795_262_580_000, shows: 'clock' }]), undefined) as Block
  expect(viewProblems(view)).toEqual([])
  expect(view.blocks).toEqual([{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [
    { type: 'text', text: 'Forwarded at ' },
    { type: 'date', timestamp: 1_795_262_580, format: '{time}', fallback: '12:03 UTC' },
  ] }] }])
})
