import { expect, test } from 'vitest'
import { z } from 'zod'
import { plainText } from '../../../../shared/utils/line'
import { parseSetting } from '../../../../server/config/issues'
import { cardView } from '../../../../server/domain/cards/card-view'
import {
  DESTINATION_SETTINGS, destinationProblems, openDestinations, type DestinationSettings,
} from '../../../../server/domain/deliveries/settings'
import type { EndpointSettings } from '../../../../server/ports/delivery'
import { FakeEndpoint } from '../../../fakes/deliveries'
import { ADA, openTriage } from '../../../fakes/triage'

const CRM = 'https://crm.example.com/in'

/** Endpoints that were opened, by URL. */
const endpointsOf = () => new Map<string, FakeEndpoint & EndpointSettings>()

function open(settings: DestinationSettings, endpoints = endpointsOf()) {
  const standard = openDestinations({ to: ['team@example.com'], endpoint: 'https://default.example.com/in' }, {
    endpoint: ({ url }) => Object.assign(new FakeEndpoint(), { url, host: new URL(url).host }),
  })
  return openDestinations(settings, {
    endpoint: (request) => {
      const endpoint = Object.assign(new FakeEndpoint(), request, { host: new URL(request.url).host })
      endpoints.set(request.url, endpoint)
      return endpoint
    },
  }, standard)
}

const idsOf = (settings: DestinationSettings) => open(settings).map(({ id }) => id)

test('a form without destinations has the two that are there by default, and its own to or endpoint instead', () => {
  expect(idsOf({})).toEqual(['email', 'endpoint'])
  expect(idsOf({ endpoint: null })).toEqual(['email'])
  expect(open({ to: ['ada@example.com'], endpoint: CRM })).toMatchObject([
    { id: 'email', to: ['ada@example.com'] }, { id: 'endpoint', endpoint: { host: 'crm.example.com' } },
  ])
})

test('destinations have a kind and a name, which is their target if they set none', () => {
  expect(idsOf({ destinations: [
    { kind: 'endpoint', url: CRM }, { kind: 'email', to: ['ada@example.com', 'bob@example.com'] },
    { kind: 'email', name: 'Sales', to: ['sales@example.com'], cc: ['boss@example.com'] },
    { kind: 'channel', channel: 'slack:C0123456789' },
  ] })).toEqual(['endpoint:crm.example.com', 'email:ada@example.com', 'email:Sales', 'channel:slack:C0123456789'])
})

test('separate emails are destinations of their own, so that each is told, retried and shown by itself', () => {
  expect(open({ destinations: [
    { kind: 'email', name: 'Sales', to: ['ada@example.com', 'bob@example.com'], separate: true },
  ] })).toEqual([
    { id: 'email:Sales ada@example.com', to: ['ada@example.com'], cc: undefined, bcc: undefined },
    { id: 'email:Sales bob@example.com', to: ['bob@example.com'], cc: undefined, bcc: undefined },
  ])
})

test.each<[string, unknown, string]>([
  ['an unknown kind', [{ kind: 'fax' }], 'must be one of email, endpoint, channel'],
  ['no destination', [], '.destinations must not be empty'],
  ['no address', [{ kind: 'email', to: [] }], '.destinations.0.to must have an address'],
  ['our own header', [{ kind: 'endpoint', url: CRM, headers: { 'Webhook-Id': '1' } }], 'is set by the service itself'],
  [
    'a line break in a header', [{ kind: 'endpoint', url: CRM, headers: { 'X-A': '1\r\nX-B: 2' } }],
    'must not have a line break',
  ],
  ['a channel without a platform', [{ kind: 'channel', channel: 'C1' }], 'must be a platform and a channel'],
  ['a setting that nothing reads', [{ kind: 'endpoint', url: CRM, colour: 1 }], 'has colour, which nothing reads'],
  ['a name with a colon', [{ kind: 'endpoint', url: CRM, name: 'a:b' }], 'must have at most 40 letters'],
])('%s is a mistake that says what to change', (_, destinations, problem) => {
  const problems: string[] = []
  parseSetting(z.strictObject(DESTINATION_SETTINGS), { destinations }, each => void problems.push(each))
  expect(problems.join('\n')).toContain(problem)
})

test('two destinations with one name, and to beside destinations, are mistakes', () => {
  const twice = { kind: 'endpoint', url: CRM } as const
  expect(destinationProblems({ destinations: [twice, twice] })).toEqual([
    'destinations has endpoint:crm.example.com twice: give each another name',
  ])
  expect(destinationProblems({ to: ['ada@example.com'], destinations: [twice] })).toEqual([
    'to is replaced by destinations: move it there',
  ])
  expect(destinationProblems({ destinations: [twice, { ...twice, name: 'Two' }] })).toEqual([])
})

const OTHER = 'https://erp.example.com/in'

async function openWithFour() {
  const endpoints = endpointsOf()
  const triage = await openTriage({ form: { destinations: open({ destinations: [
    { kind: 'email', to: ['ada@example.com'], cc: ['boss@example.com'] },
    { kind: 'endpoint', name: 'CRM', url: CRM },
    { kind: 'endpoint', url: OTHER, when: { name: 'Ada' } },
    { kind: 'channel', channel: 'slack:C9' },
  ] }, endpoints) } })
  const linesOf = async (id: string) => (
    cardView((await triage.store.get(id))!, triage).notes.map(line => plainText(line))
  )
  return { ...triage, endpoints, linesOf }
}

test('a forward goes to every destination that takes it, and each has its line on the card', async () => {
  const { post, forward, mailer, endpoints, board, store, linesOf } = await openWithFour()
  endpoints.get(CRM)!.answers.push({ ok: false, reason: 'CRM answered 500.', permanent: false })
  const id = await post({ name: 'Bob' })
  await forward(id)
  expect(mailer.calls.map(({ email: { to, cc } }) => [to, cc])).toEqual([[['ada@example.com'], ['boss@example.com']]])
  expect([endpoints.get(CRM)!.calls.length, endpoints.get(OTHER)!.calls.length]).toEqual([1, 0])
  expect(await store.get(id)).toMatchObject({
    state: 'settling', work: [{ kind: 'endpoint:CRM', attempts: 1 }],
    delivered: expect.arrayContaining(['email:ada@example.com', 'channel:slack:C9']) as unknown,
  })
  expect(await linesOf(id)).toEqual([
    expect.stringMatching(/^Forwarded by Ada on Slack/),
    expect.stringMatching(/^ada@example\.com: sent to ada@example\.com and boss@example\.com on /),
    expect.stringMatching(/^slack:C9: sent to slack:C9 on /),
    expect.stringMatching(/^CRM failed: CRM answered 500\. Next attempt on /),
  ])
  expect([...board.shown.keys()]).toEqual(['slack-1', 'slack/C9-2'])
})

test('a forward that no destination takes is refused before anything is sent', async () => {
  const triage = await openTriage({ form: { destinations: open({ destinations: [
    { kind: 'endpoint', url: CRM, when: { name: 'Ada' } },
  ] }) } })
  const id = await triage.post({ name: 'Bob' })
  const refusal = await triage.decide({ id, action: 'forward' })
  expect(refusal).toMatchObject({
    kind: 'unchanged', message: expect.stringContaining('Nothing would be sent') as unknown,
  })
  expect(await triage.store.get(id)).toMatchObject({ state: 'open' })
  await triage.settle(triage.decide({ id, action: 'edit', values: { f0: 'Ada' } }))
  expect(await triage.store.get(id)).toMatchObject({ state: 'settled', delivered: ['endpoint:crm.example.com'] })
})

test('a copy of the card has no buttons, follows the card, and is erased with it', async () => {
  const { post, forward, board, store, quarantine, runtime } = await openWithFour()
  const id = await post({ name: 'Bob' })
  await forward(id)
  expect(board.shown.get('slack/C9-2')).toMatchObject({ state: 'forwarded', actions: [] })
  expect(JSON.stringify(board.shown.get('slack/C9-2'))).toContain('Bob')
  const { cards } = (await store.get(id))!
  expect(cards.filter(({ isCopy }) => isCopy)).toHaveLength(1)
  await quarantine.decide('erase', id, ADA)
  await runtime.drain()
  expect(board.shown.get('slack/C9-2')).toMatchObject({ state: 'erased', actions: [] })
  expect(JSON.stringify(board.shown.get('slack/C9-2'))).not.toContain('Bob')
})

test.each<[string, string[]]>([['Ada', [CRM, OTHER]], ['Bob', [CRM]]])(
  'an erasure of the form of %s is told to the endpoints that got it', async (name, urls) => {
    const { post, forward, endpoints, quarantine, runtime } = await openWithFour()
    const id = await post({ name })
    await forward(id)
    await quarantine.decide('erase', id, ADA)
    await runtime.drain()
    const keysOf = (url: string) => endpoints.get(url)!.calls.map(({ key }) => key)
    expect([CRM, OTHER].map(keysOf)).toEqual([CRM, OTHER].map(url => (
      urls.includes(url) ? [expect.any(String), `${id}-erased`] : []
    )))
  },
)

test('an email to other addresses goes to the one that came back, and to no other', async () => {
  const triage = await openTriage({ form: { destinations: open({ destinations: [
    { kind: 'email', to: ['ada@example.com'] }, { kind: 'email', name: 'Sales', to: ['sales@example.com'] },
  ] }) } })
  triage.mailer.answers.push({ ok: true, value: 'm1' }, { ok: true, value: 'm2' })
  const id = await triage.post({ name: 'Bob' })
  await triage.forward(id)
  const bounced = (await triage.store.get(id))!.sent!.find(({ delivery }) => delivery === 'email:Sales')!
  await triage.outbox.apply(id, [{ type: 'receipt', messageId: bounced.messageId!, receipt: { verdict: 'bounced' } }])
  await triage.settle(triage.decide({ id, action: 'resend', to: 'new@example.com' }))
  expect(triage.mailer.calls.map(({ email: { to } }) => to)).toEqual([
    ['ada@example.com'], ['sales@example.com'], ['new@example.com'],
  ])
})

test('a copy that arrives after the erasure is erased, too', async () => {
  const triage = await openTriage({ form: { destinations: open({ destinations: [
    { kind: 'channel', channel: 'slack:C9' },
  ] }) } })
  const id = await triage.post({ name: 'Secretvalue' })
  const { post } = triage.board
  const { promise, resolve } = Promise.withResolvers<null>()
  triage.board.post = async (...args) => {
    await promise
    return post.apply(triage.board, args)
  }
  await triage.decide({ id, action: 'forward' })
  await triage.runtime.turn()
  await triage.quarantine.decide('erase', id, ADA)
  resolve(null)
  await triage.runtime.drain()
  const shown = triage.board.shown.get('slack/C9-2')
  expect(shown).toMatchObject({ state: 'erased', actions: [] })
  expect(JSON.stringify(shown)).not.toContain('Secretvalue')
})
