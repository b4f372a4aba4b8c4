import { expect, it } from 'vitest'
import { startDiscord } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import { endAfterAll } from '../support/lifetime'
import { startServer } from '../support/server'
import { blockActions, interact } from '../support/slack'
import { deployAgent, heard, openCards, press, tell } from '../support/slack-people'
import { cardOf, emailsAbout, submit } from '../support/deployment'
import { whispers } from '../support/slack-talk'
import { until } from '../support/until'

/** Reviewer on Discord; the reviewer on Slack is Grace Hopper. */
const BARBARA = { id: '200000000000000007', username: 'barbara', global_name: 'Barbara Liskov' }

const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deployAgent({ ...discord.env }))
await d.server.kill()
Object.assign(d.env, {
  TAKE: '1', PEOPLE: `barbara = discord:${BARBARA.id}`,
  REVIEWERS: `slack:${d.slack.colleague.id},discord:${BARBARA.id}`, APPROVERS: `slack:${d.slack.colleague.id}`,
})
d.server = await startServer(d.env)
const others = [endAfterAll(await startServer(d.env)), endAfterAll(await startServer(d.env))]
// Warm up: on a busy machine, loading a platform for its first interaction may take longer than Discord waits.
for (const { url } of [d.server, ...others]) {
  await until('Discord to be loaded', async () => (await discord.ping(`${url}/api/webhooks/discord`)).status === 200)
}

const lines = (event: string, id: string) => [d.server, ...others].flatMap(({ output }) => output().split('\n')).filter(
  line => line.includes(`"${event}"`) && line.includes(id),
).map(line => JSON.parse(line) as { reviewer: string })
/** Returns the private answers to Ada's messages, and to her clicks in a conversation. */
const refusals = () => whispers(d.slack).filter(({ user, text }) => (
  user === d.slack.reviewer.id && /^Only Grace Hopper and .* may decide this\.$/.test(String(text))
))
const drained = () => Promise.all([d.server, ...others].map(server => server.drain()))

it('of 50 clicks at 3 servers and on two platforms, 10 by reviewers, one decides, and a reviewer made it', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  const message = await until('the Discord card', () => discord.cardOf(id))
  const urls = [d.server, ...others].map(({ url }) => url)
  const clicks = Array.from({ length: 50 }, async (_, index) => {
    const [url, isListed, action] = [urls[index % 3]!, index % 5 === 4, index % 7 === 0 ? 'spam' : 'forward']
    if (index % 2 === 0) {
      return interact(url, blockActions(card, action, id, isListed ? d.slack.colleague : d.slack.reviewer))
    }
    const options = isListed ? { user: BARBARA } : {}
    return discord.click(`${url}/api/webhooks/discord`, message, buttonOf(action, id), options)
  })
  expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  await until('the decision', () => lines('submission.claimed', id).length > 0)
  await drained()
  const claims = lines('submission.claimed', id)
  expect(claims).toHaveLength(1)
  expect([d.slack.colleague.id, BARBARA.id]).toContain(claims[0]!.reviewer)
  expect(emailsAbout(d, id).length).toBeLessThanOrEqual(1)
  expect(lines('review.refused', id)).toHaveLength(40)
})

it('of 100 takes at 3 servers and on two platforms one has it, and each room is edited once', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  const message = await until('the Discord card', () => discord.cardOf(id))
  await drained()
  const urls = [d.server, ...others].map(({ url }) => url)
  const edits = () => [
    d.slack.calls('chat.update').filter(({ ts }) => ts === card.ts).length,
    discord.requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith(message.id)).length,
  ]
  const before = edits()
  const takes = Array.from({ length: 100 }, async (_, index) => {
    const url = urls[index % 3]!
    if (index % 2 === 0) return interact(url, blockActions(card, 'take', id, d.slack.colleague))
    return discord.click(`${url}/api/webhooks/discord`, message, buttonOf('take', id), { user: BARBARA })
  })
  await Promise.all(takes)
  await until('the holder', () => lines('submission.taken', id).length > 0)
  await drained()
  const [taken, ...more] = lines('submission.taken', id)
  expect(more).toEqual([])
  expect(edits()).toEqual(before.map(count => count + 1))
  const holder = taken!.reviewer === BARBARA.id ? /Barbara Liskov has it \(Discord, / : /Grace Hopper has it \(Slack, /
  expect(JSON.stringify((await cardOf(d, id)).blocks)).toMatch(holder)
  expect(JSON.stringify(discord.messages().find(each => each.id === message.id))).toMatch(holder)
})

it('gives a submission to somebody by a command, with a model too, and tells them once, below the card where they are', async () => {
  const { id } = await submit(d, { name: 'Ada' })
  await until('the Discord card', () => discord.messages().some(card => JSON.stringify(card.components).includes(id)))
  await drained()
  const asked = d.model.requests.length
  const command = `assign ${id.slice(0, 8)} barbara`
  const thread = await tell(d, command, { by: d.slack.colleague })
  const told = () => discord.messages().filter(({ content }) => content === `<@${BARBARA.id}>`)
  await until('the word', () => told().length > 0)
  expect(await heard(d, thread)).toEqual([expect.stringMatching(/ has it now\.$/)])
  expect(JSON.stringify(told()[0]!.embeds)).toContain('this is yours now: Grace Hopper has given it to you.')
  await tell(d, command, { by: d.slack.colleague })
  const before = refusals().length
  await tell(d, command)
  await tell(d, command, { thread })
  // One refusal in the channel, for the mention without an answer, and one in the conversation
  const refused = await until('the refusals', () => refusals().length === before + 2 && refusals().slice(before))
  expect(refused.map(({ thread_ts: below }) => below as unknown).sort()).toEqual([thread, undefined])
  await drained()
  expect([lines('submission.taken', id).length, told().length, d.model.requests.length]).toEqual([1, 1, asked])
})

it('who is none of the reviewers approves nothing that they asked the agent for; a reviewer does', async () => {
  const { id } = await submit(d, { name: 'Ada' })
  d.model.script({ text: 'I suggest this.', calls: [
    { name: 'markSubmissionAsSpam', input: { id }, id: 'call_1' },
  ] }, { text: 'It is done.' })
  const [approval] = await openCards(d, await tell(d, 'mark it as spam'))
  await drained()
  const before = refusals().length
  await press(d, approval!, 'approve')
  await until('the answer', () => refusals().length > before)
  await drained()
  expect([lines('submission.claimed', id), lines('review.refused', id).length]).toEqual([[], 1])
  expect(await cardOf(d, id)).toBeTruthy()
  await press(d, approval!, 'approve', { by: d.slack.colleague })
  await until('the decision', () => lines('submission.claimed', id).length > 0)
  expect(lines('submission.claimed', id)[0]!.reviewer).toBe(d.slack.colleague.id)
})
