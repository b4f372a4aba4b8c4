import { beforeEach, describe, expect, test } from 'vitest'
import { defineComponent, h, ref } from 'vue'
import ChatComposer from '../../../../app/components/sandbox/chat-composer.vue'
import ChatModal from '../../../../app/components/sandbox/chat-modal.vue'
import SendContact from '../../../../app/components/sandbox/send-contact.vue'
import SendForm from '../../../../app/components/sandbox/send-form.vue'
import { isRoot, useSandbox } from '../../../../app/composables/sandbox/use-sandbox'
import { usePanes } from '../../../../app/composables/submission/use-panes'
import SandboxPage from '../../../../pages/sandbox.vue'
import {
  browser, byId, Events, gate, handle, mount, pass, press, shown, submit, toasts, type, typed, use,
} from '../../../support/app/mounted'
import { refusal, site, useState, type Asked } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'
import { away } from '../../../support/app/service'

const message = (id: string, changes: object = {}) => ({
  id, channel: 'triage', threadId: `sandbox:triage:${id}`, postedAt: 1, editedAt: null, author: null, text: null,
  card: { title: id }, ...changes,
})
const MODAL = { viewId: 'v1', element: { title: 'Edit', children: [
  { type: 'text_input', id: 'f0', label: 'Name', initialValue: 'Ada' },
  { type: 'text_input', id: 'f1', label: 'Note', optional: true },
] } }
let state: object
let hook: (asked: Asked) => unknown

beforeEach(() => {
  useState('sign-in', () => ({ viewer: { role: 'reviewer' } }))
  state = {
    revision: 'r1', channels: ['triage', 'sales'], messages: [message('m1'), message('m2')], emails: [],
    formUrl: '', curl: '',
  }
  hook = () => ({})
  site.answer = asked => asked.path === '/api/sandbox/state' ? state : hook(asked)
})

describe('a dialog', () => {
  /** Opens the dialog; `submit` handles its submission in place of the page. */
  async function open(submit: (viewId: string, values: Record<string, string>) => Promise<object>) {
    const modal = ref<object | null>(MODAL)
    const seen: string[] = []
    await mount(ChatModal, {
      get modal() { return modal.value }, submit, onClose: () => (modal.value = null, seen.push('close')),
      onUpdate: (next: object) => (modal.value = next, seen.push('update')),
    })
    return { modal, seen }
  }

  test('asks for what is missing, says under each field what is wrong, and keeps what was typed', async () => {
    const sent: object[] = []
    let answer: object = { action: 'errors', errors: { f0: 'Too short.', gone: 'Also this.' } }
    const { seen } = await open(async (viewId, values) => (sent.push({ viewId, ...values }), answer))
    await type('modal-input-f0', '  ')
    await submit()
    expect([sent, shown()]).toEqual([[], expect.stringContaining('Please fill this in.')])
    await type('modal-input-f0', 'Grace')
    await submit()
    expect(sent).toEqual([{ viewId: 'v1', f0: 'Grace', f1: '' }])
    expect(shown()).toMatch(/Also this\..*Too short\./)
    expect(typed('modal-input-f0')).toBe('Grace')
    answer = { action: 'close' }
    await submit()
    expect(seen).toEqual(['close'])
  })

  test('that cannot be sent stays, with the reason; sent twice it goes once', async () => {
    const answer = gate<object>()
    let count = 0
    const { seen } = await open(() => (count++, answer.promise))
    await submit()
    await submit()
    answer.reject(away())
    await pass()
    expect([count, seen, shown()]).toEqual([1, [], expect.stringContaining('The store does not answer.')])
  })
})

describe('the room', () => {
  const open = () => mount(SandboxPage, {}, { SandboxChatModal: ChatModal })
  const room = () => page.root.querySelector('SandboxChatRoom')!
  const click = async (id: string, actionId = 'edit') => {
    handle(room(), 'onClick')({ message: message(id), actionId, value: 'x' })
    await pass()
  }
  const modal = () => page.root.querySelector('UModal')

  test('takes a click while another card is still being decided, in the name of the reviewer', async () => {
    await open()
    const first = gate<undefined>()
    const bodies: Asked['body'][] = []
    hook = ({ body }) => {
      bodies.push(body)
      return bodies.length === 1 ? first.promise.then(() => ({})) : {}
    }
    await click('m1', 'forward')
    await click('m2', 'spam')
    expect([...(room().props.pending as Map<string, string>)]).toEqual([['m1', 'forward']])
    first.resolve(undefined)
    await pass()
    expect([...(room().props.pending as Map<string, string>)]).toEqual([])
    expect(bodies).toMatchObject([
      { type: 'action', messageId: 'm1', actionId: 'forward', user: { id: 'sandbox-ada-lovelace' } },
      { messageId: 'm2' },
    ])
  })

  test('tells who closed a dialog before its answer that it failed, and leaves another one open', async () => {
    await open()
    hook = () => ({ modal: MODAL })
    await click('m1')
    const cases: [() => object, string[]][] = [
      [away, ['The form was not taken: The store does not answer.']],
      [() => ({ action: 'errors', errors: { f0: 'Too short.' } }), ['The form was not taken: Too short.']],
      [() => ({ action: 'close' }), []],
    ]
    for (const [answered, says] of cases) {
      const answer = gate<undefined>()
      hook = () => answer.promise.then(answered)
      await submit()
      handle(modal()!, 'onUpdate:open')(false)
      await pass()
      hook = () => ({ modal: { ...MODAL, viewId: 'v2' } })
      await click('m2')
      await type('modal-input-f0', 'Mona typed')
      answer.resolve(undefined)
      await pass()
      expect([toasts(), typed('modal-input-f0')]).toEqual([says, 'Mona typed'])
    }
  })

  test('says why it cannot be shown, and takes no form until it can', async () => {
    state = away()
    await open()
    expect(shown()).toContain('The room cannot be shown')
    state = '<!doctype html>' as never
    await pass(3000)
    expect(shown()).toContain('The sandbox is not switched on.')
  })

  test('is loaded again when it changes, from what it shows on', async () => {
    const { state: now } = await use(useSandbox)
    expect(Events.open[0]!.url).toBe('/api/sandbox/events?since=r1')
    state = { ...state, revision: 'r2' }
    Events.open[0]!.send('changed')
    await pass()
    expect(now.value!.revision).toBe('r2')
    const reply = message('m3', { threadId: 'sandbox:triage:m1' })
    expect([isRoot(message('m1') as never), isRoot(reply as never)]).toEqual([true, false])
  })
})

describe('the panes on a narrow screen', () => {
  const open = async () => {
    const room = ref(state as SandboxState | null)
    const panes = await use(() => usePanes(room))
    return { room, ...panes }
  }

  test('are tabs, which count what changed since somebody looked', async () => {
    const { room, tab, tabs, isShown } = await open()
    const labels = () => tabs.value.map(({ label, badge }) => badge ? `${label} ${badge.label}` : label)
    room.value = { ...room.value! }
    await pass()
    expect([tab.value, labels()]).toEqual(['triage', ['#triage', '#sales', 'Outbox']])
    room.value = { ...room.value, messages: [
      ...room.value.messages, message('m3', { channel: 'sales', postedAt: 5 }), message('m4', { editedAt: 6 }),
    ] as never, emails: [{ sentAt: 7 }] as never }
    await pass()
    expect(labels()).toEqual(['#triage', '#sales 1', 'Outbox 1'])
    tab.value = 'sales'
    await pass()
    expect([labels(), isShown('triage'), isShown('sales')]).toEqual([['#triage', '#sales', 'Outbox 1'], false, true])
  })

  test('stand side by side as far as they fit', async () => {
    browser.media.add('(min-width: 64rem)')
    expect((await open()).tabs.value.map(({ value }) => value)).toEqual(['triage', 'sales'])
    browser.media.add('(min-width: 78rem)')
    expect((await open()).tabs.value).toEqual([])
  })
})

describe('what is said', () => {
  test('while a message is on its way follows in order, and what is being typed stays', async () => {
    const [said, first] = [[] as string[], gate<undefined>()]
    await mount(ChatComposer, { placeholder: 'x', testId: 'a', mention: '@form-bot', say: async (text: string) => {
      said.push(text)
      if (text === 'one') await first.promise
    } })
    const enter = async (event: object = {}) => {
      handle(byId('say-a')!, 'onKeydown')({ key: 'Enter', preventDefault() {}, ...event })
      await pass()
    }
    for (const text of ['one', ' two ']) {
      await type('say-a', text)
      await enter()
    }
    await type('say-a', 'three')
    for (const no of [{ shiftKey: true }, { isComposing: true }]) await enter(no)
    first.resolve(undefined)
    await pass()
    expect([said, typed('say-a')]).toEqual([['one', 'two'], 'three'])
    for (const _ of [1, 2]) await press('mention-a')
    expect(typed('say-a')).toBe('@form-bot three')
  })

  test('and cannot be sent stands above what was typed meanwhile', async () => {
    const failed = gate<never>()
    await mount(ChatComposer, { placeholder: 'x', testId: 'a', say: () => failed.promise })
    for (const text of ['one\ntwo', 'three']) {
      await type('say-a', text)
      await submit()
    }
    await type('say-a', 'four')
    failed.reject(new Error('Not now.'))
    await pass()
    expect(typed('say-a')).toBe('one\ntwo\nthree\nfour')
  })

  test('by who only looks is nothing', async () => {
    useState<object>('sign-in', () => ({})).value = { viewer: { role: 'viewer' } }
    await mount(ChatComposer, { placeholder: 'x', testId: 'a', say: async () => {} })
    expect([shown(), byId('say-a')]).toEqual(['You can only read in this room. Reviewers decide and talk here.', null])
  })
})

test('a file goes to a form that takes files, and none is offered where no form does', async () => {
  const upload = { path: '/api/form/orders', name: 'Orders', field: 'files', accept: 'image/*', multiple: true }
  const sent: unknown[][] = []
  const props = { sample: 0, sending: false, many: '', onSend: (...args: unknown[]) => sent.push(args) }
  const leave = await mount(SendContact, { ...props, upload: null })
  await submit()
  expect([byId('send-form-files'), sent]).toEqual([null, [[expect.stringContaining('Grace Hopper')]]])
  leave()
  await mount(SendContact, { ...props, upload })
  const files = [new File(['x'], 'a.png')]
  handle(byId('send-form-files')!, 'onChange')({ target: { files } })
  await submit()
  expect([sent[1]![1], (sent[1]![0] as FormData).get('name')]).toEqual([upload.path, 'Grace Hopper'])
  expect((sent[1]![0] as FormData).getAll('files')).toHaveLength(1)
})

describe('the panel for forms', () => {
  async function open() {
    const isOpen = ref(true)
    await mount(defineComponent(() => () => h(SendForm, {
      'open': isOpen.value, 'formUrl': '', 'curl': '', 'upload': null,
      'onUpdate:open': (open: boolean) => { isOpen.value = open },
    })))
    const contact = () => page.root.querySelector('SandboxSendContact')!
    const press = async (name: 'onSend' | 'onMany') => {
      handle(contact(), name)('{}')
      await pass()
    }
    return { isOpen, press }
  }

  test('closes once a form was received, and says why one was not', async () => {
    const { isOpen, press } = await open()
    hook = () => refusal(422, { error: 'A name, please.' })
    await press('onSend')
    expect([isOpen.value, shown()]).toEqual([true, expect.stringContaining('A name, please.')])
    hook = () => ({ submissionId: 's1' })
    await press('onSend')
    expect([isOpen.value, toasts()]).toEqual([false, ['Form received: Submission s1']])
  })

  test('says how many of 60 were received, and why not all', async () => {
    const { press } = await open()
    let count = 0
    hook = () => ++count > 30 ? refusal(429, { error: 'Too many.' }) : {}
    await press('onMany')
    expect(shown()).toContain('30 of 60 were received. Too many.')
    // Up to four requests are in progress at the same time.
    expect(count).toBeLessThanOrEqual(34)
    hook = () => ({})
    await press('onMany')
    expect(toasts()).toEqual(['60 forms received'])
  })

  test.each(['onSend', 'onMany'] as const)('tells who closed it before the answer that it failed: %s', async (name) => {
    const { isOpen, press } = await open()
    const answer = gate<undefined>()
    hook = () => answer.promise.then(away)
    await press(name)
    isOpen.value = false
    answer.resolve(undefined)
    await pass()
    expect(toasts()).toEqual([expect.stringMatching(/^The form was not received: .*The store does not answer\./)])
  })
})
