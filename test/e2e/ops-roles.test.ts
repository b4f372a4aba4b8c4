import { expect, it } from 'vitest'
import { deploy, submitForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { PASSWORD, visit, type Visitor } from '../support/visitor'

const d = endAfterAll(await deploy({
  FORMS_CONFIG: formsFile({ open: { name: 'Open', reviewers: ['ops:ada lovelace'] } }),
  REVIEWERS: 'ops:Grace Hopper', OPS_VIEWERS: 'ops:Vera,slack:S0000000GRP',
  PEOPLE: 'mona = ops:Mona, slack:U00000MONA', TRUST_PROXY: '1', SANDBOX: '1',
}))

const send = (form = '') => submitForm(d.server, { name: 'Ada' }, form)

async function signedIn(name: string): Promise<Visitor> {
  const visitor = visit(d.server)
  expect((await visitor.signIn(PASSWORD, name)).status).toBe(200)
  return visitor
}

const json = async (answer: Response) => [answer.status, await answer.json()]

it('a viewer sees everything and no buttons, and changes nothing', async () => {
  const id = await send()
  const vera = await signedIn('Vera')
  expect(await json(await vera.get('/api/auth/session'))).toMatchObject([200, { viewer: { role: 'viewer' } }])
  expect(await json(await vera.get(`/api/submissions/${id}`))).toMatchObject([200, { open: true, mayDecide: false }])
  for (const path of ['/api/submissions', '/api/deliveries', '/api/status', '/api/exports/audit.json']) {
    expect((await vera.get(path)).status).toBe(200)
  }
  expect((await vera.post('/api/submissions/search', { q: 'Ada' })).status).toBe(200)
  const only = [403, {
    code: 'VIEWERS_ONLY_LOOK', error: expect.any(String) as string, message: expect.any(String) as string,
  }]
  expect(await json(await vera.post(`/api/submissions/${id}/decision`, { action: 'spam' }))).toEqual(only)
  expect(await json(await vera.post('/api/submissions/decisions', { ids: [id], action: 'spam' }))).toEqual(only)
  expect(await json(await vera.post(`/api/submissions/${id}/cards`, {}))).toEqual(only)
  expect(await json(await vera.post(`/api/submissions/${id}/holder`, {}))).toEqual(only)
  expect(await json(await vera.delete(`/api/submissions/${id}/holder`))).toEqual(only)
  expect(await json(await vera.post('/api/deliveries/send-again', { ids: [id] }))).toEqual(only)
  expect(await json(await vera.post('/api/setup/email', {}))).toEqual(only)
  expect(await json(await vera.post('/api/setup/card', { platform: 'slack' }))).toEqual(only)
  expect(await json(await vera.get('/api/slack/install'))).toEqual(only)
  const user = { id: 'grace', name: 'Grace Hopper' }
  const press = { type: 'action', messageId: 'x', threadId: 'x', actionId: 'spam', value: id, user }
  expect(await json(await vera.post('/api/webhooks/sandbox', press))).toEqual(only)
  expect(await json(await vera.get(`/api/submissions/${id}`))).toMatchObject([200, { state: 'waiting' }])
})

it('a reviewer of one form decides that, and sees the others without buttons', async () => {
  const [own, other] = [await send('/open'), await send()]
  const ada = await signedIn('Ada Lovelace')
  expect(await json(await ada.get(`/api/submissions/${other}`))).toMatchObject([200, { mayDecide: false }])
  expect(await json(await ada.get(`/api/submissions/${own}`))).toMatchObject([200, { mayDecide: true }])
  expect((await ada.post(`/api/submissions/${own}/cards`, {})).status).toBe(200)
  const said = 'Only grace hopper may decide this.'
  const refused = { code: 'NOT_A_REVIEWER', error: said, message: said }
  expect(await json(await ada.post(`/api/submissions/${other}/cards`, {}))).toEqual([403, refused])
  const ids = [other, own]
  expect(await json(await ada.post('/api/submissions/decisions', { ids, action: 'spam' }))).toEqual([200, { results: [
    { id: other, status: 403, ...refused }, { id: own, status: 200 },
  ] }])
})

it('the HTML of a page waits for nobody to be looked up in a group', async () => {
  const mona = await signedIn('Mona')
  // Warm up: the page renderer is loaded for the first page.
  await mona.get('/')
  const gate = Promise.withResolvers<undefined>()
  d.slack.fault = ({ path }) => path.endsWith('/usergroups.users.list') ? { hold: gate.promise } : undefined
  let isAnswered = false
  const asked = mona.get('/api/submissions').finally(() => { isAnswered = true })
  const html = await (await mona.get('/')).text()
  expect([html.includes('data-page="index"'), isAnswered]).toEqual([true, false])
  gate.resolve(undefined)
  d.slack.fault = () => undefined
  await asked
})

it('somebody on no list sees nothing once there are viewers, and is told so', async () => {
  const mallory = await signedIn('Mallory')
  for (const path of ['/api/submissions', '/api/status', '/api/exports/audit.json', '/api/submissions/events']) {
    expect(await json(await mallory.get(path))).toMatchObject([403, { code: 'NOT_A_VIEWER' }])
  }
  expect(await json(await mallory.get('/api/auth/session'))).toMatchObject([
    200, { viewer: null, closed: null, refused: expect.stringContaining('OPS_VIEWERS') },
  ])
})

it('the status says who may decide', async () => {
  expect(await json(await (await signedIn('Vera')).get('/api/status'))).toMatchObject([200, { decides: [
    'Only grace hopper may decide.', 'Open: Only ada lovelace may decide.',
  ] }])
})
