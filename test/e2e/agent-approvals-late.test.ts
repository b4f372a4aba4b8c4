import { expect, it } from 'vitest'
import { click, emailsAbout, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { startServer, type Server } from '../support/server'
import type { SlackMessage } from '../support/slack'
import { deployAgent, heard, openCards, press, tell, textOf } from '../support/slack-people'
import { whispers } from '../support/slack-talk'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'

const LEFT = 'Nobody decided, so I left it.'

const d = endAfterAll(await deployAgent({ APPROVAL_TTL: '15s' }))
const brief = endAfterAll(await startServer({ ...d.env, APPROVAL_TTL: '1s' }))

/** Asks for a write; the model later explains why the write was not done. */
async function asked({ url }: Server) {
  const { id, card } = await submit(d, { name: 'Grace' })
  d.model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] }, { text: LEFT })
  const thread = await tell(d, 'mark it as spam', { url })
  const isLeft = async () => (await d.slack.messages()).some(({ ts, blocks }) => (
    ts === card.ts && blocks[0]!.text.text === 'New Form Submission'
  ))
  return { thread, isLeft }
}
const explained = (thread: string) => until('the explanation', async () => (await heard(d, thread)).includes(LEFT))

it('nobody decides in time: the card says so, and the model explains', async () => {
  const { thread, isLeft } = await asked(d.server)
  const [approval] = await openCards(d, thread)
  await explained(thread)
  await until('the card', async () => (await d.slack.thread(thread)).some(message => (
    message.ts === approval!.ts && textOf(message).includes('Not done: nobody decided in time')
  )))
  expect(
    d.model.requests.at(-1)!.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
  ).toEqual([expect.stringContaining('Nobody decided in time')])
  // The process that explains deletes the question afterwards. Wait for both processes to finish.
  await Promise.all([d.server.drain(), brief.drain()])
  await press(d, approval!, 'approve')
  await d.server.drain()
  expect(whispers(d.slack).at(-1)!.text).toContain('This is over')
  expect(await isLeft()).toBe(true)
})

it('an approval of what was edited, forwarded and taken back meanwhile sends nothing, and asks again with what it says now', async () => {
  const revocable = endAfterTest(await startServer({ ...d.env, UNDO_SECONDS: '60', APPROVAL_TTL: '10m' }))
  const { url } = revocable
  const { id } = await submit(d, { name: 'Grace', iban: 'DE00 GOOD' })
  d.model.script({ calls: [{ name: 'forwardSubmission', input: { id } }] }, { text: 'It is forwarded.' })
  const thread = await tell(d, 'forward it', { url })
  const [approval] = await openCards(d, thread)
  await revocable.drain()
  expect(textOf(approval!)).toContain('DE00 GOOD')
  const eve = visit(revocable)
  await eve.signIn(PASSWORD, 'Eve')
  for (const decision of [{ action: 'edit', values: { f1: 'DE99 EVIL' } }, { action: 'undo' }]) {
    expect((await eve.post(`/api/submissions/${id}/decision`, decision)).status).toBe(200)
  }
  await press(d, approval!, 'approve', { url })
  await revocable.drain()
  const [again, ...others] = await openCards(d, thread)
  expect([others, textOf(again!)]).toEqual([[], expect.stringContaining('DE99 EVIL')])
  expect(textOf(again!)).not.toContain('DE00 GOOD')
  const old = (await d.slack.thread(thread)).find(({ ts }) => ts === approval!.ts)!
  expect(textOf(old)).toContain('Not done: the submission changed, and a new card asks again')
  expect(whispers(d.slack).at(-1)!.text).toContain('It changed after this was asked, so nothing was done.')
  const state = async () => (await (await eve.get(`/api/submissions/${id}`)).json() as { state: string }).state
  expect([await state(), emailsAbout(d, id)]).toEqual(['waiting', []])
  expect(d.model.requests.at(-1)!.messages.at(-1)!.role).toBe('user')
  await press(d, again!, 'approve', { url })
  await revocable.drain()
  expect((await d.slack.thread(thread)).at(-1)!.text).toBe('It is forwarded.')
  expect(await state()).not.toBe('waiting')
})

it.each<[string, (id: string, card: SlackMessage) => Promise<unknown>]>([
  ['is decided by somebody', (id, card) => click(d, card, 'spam', id)],
  ['is erased', async (id) => {
    const ops = visit(d.server)
    await ops.signIn(PASSWORD)
    return ops.delete(`/api/submissions/${id}`)
  }],
])('of a submission that %s a question keeps nothing, in Redis and on its card', async (_, end) => {
  const { id, card } = await submit(d, { name: 'unique-name' })
  d.model.script({ calls: [{ name: 'forwardSubmission', input: { id } }] })
  const thread = await tell(d, 'forward it')
  const [approval] = await openCards(d, thread)
  await d.server.drain()
  expect(textOf(approval!)).toContain('unique-name')
  expect(await holding(d.redis.url, 'unique-name')).toContainEqual(expect.stringContaining('{triage}:approval:'))
  await end(id, card)
  await d.server.drain()
  expect(await holding(d.redis.url, 'unique-name')).toEqual([])
  const left = (await d.slack.thread(thread)).find(({ ts }) => ts === approval!.ts)!
  expect(textOf(left)).toContain('Not done: the submission is no longer open')
  expect(JSON.stringify(left)).not.toMatch(/unique-name|"actions"/)
})

it('who presses a card that a model left is told that there is none any more', async () => {
  const { thread, isLeft } = await asked(d.server)
  const [approval] = await openCards(d, thread)
  const { AI_BASE_URL: _url, AI_API_KEY: _key, AI_MODEL: _model, ...env } = d.env
  const without = await startServer(env)
  for (const action of ['approve', 'deny'] as const) {
    const before = whispers(d.slack).length
    expect((await press(d, approval!, action, { url: without.url })).status).toBe(200)
    await without.drain()
    expect(whispers(d.slack).slice(before).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^No language model is set up here any more, so nothing was done\./),
    ])
  }
  expect(await isLeft()).toBe(true)
  await without.kill()
  await explained(thread)
})

it('a question whose time was over before its card was out offers nothing', async () => {
  const isCard = ({ path, body }: { path: string, body: string }) => (
    path === '/api/chat.postMessage' && body.includes('"action_id":"approve"')
  )
  const cards = () => d.slack.requests.filter(isCard)
  const ended = () => [d.server, brief].flatMap(server => server.output().split('"approval.expired"')).length
  const [posted, before] = [cards().length, ended()]
  const over = Promise.withResolvers<undefined>()
  d.slack.fault = request => isCard(request) ? { hold: over.promise } : undefined
  const { thread, isLeft } = await asked(brief)
  await until('the end of its time', () => ended() > before)
  over.resolve(undefined)
  d.slack.fault = () => undefined
  await explained(thread)
  await until('the card out', () => cards()[posted]?.status === 200)
  await Promise.all([d.server.drain(), brief.drain()])
  const offered = (await d.slack.thread(thread)).filter(({ blocks }) => blocks?.some(({ type }) => type === 'actions'))
  expect(offered).toEqual([])
  expect(await isLeft()).toBe(true)
})
