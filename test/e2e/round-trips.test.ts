import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'
import { startTcpProxy, type Command } from '../support/tcp-proxy'
import { until } from '../support/until'

/** Commands of the service's clock, which it sends regardless of other work */
const CLOCK = ['TIME', 'PING']

const tcp = endAfterAll(await startTcpProxy())
// Slack's own pace, and no background work meanwhile
const d = endAfterAll(await deploy({
  STORE_URL: tcp.url, CARD_INTERVAL_MS: '', FORM_RATE_LIMIT: '600', FORM_RATE_LIMIT_MB: '20',
  SWEEP_INTERVAL_MS: '600000',
}))
tcp.use(d.redis.port)
const redis = endAfterAll(createClient({ url: d.redis.url }))
await redis.connect()
await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)

/**
 * Returns how many commands Redis has run, including those inside scripts; excludes the scripts themselves and the
 * first command of an hour.
 */
async function ran(): Promise<number> {
  const all = [...(await redis.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
  const others = ['evalsha', 'eval', 'info', 'expire', ...CLOCK.map(name => name.toLowerCase())]
  return all.filter(([, name]) => !others.includes(name!)).reduce((sum, [, , calls]) => sum + Number(calls), 0)
}

/**
 * Counts the commands between service and Redis while `act` runs, the sends while no answer was awaited, and the
 * commands that scripts ran.
 */
async function counted(
  act: () => Promise<unknown>,
): Promise<{ commands: string[], roundTrips: number, executed: number }> {
  const before = await ran()
  const commands: string[] = []
  let [roundTrips, awaited, noted] = [0, 0, 0]
  // Writes of the health status come every ten seconds at most.
  const isNote = ({ args }: Command) => args[0] === '{triage}:health'
  tcp.fault = (command) => {
    if (isNote(command)) noted++
    if (CLOCK.includes(command.name) || isNote(command)) return undefined
    commands.push(command.name)
    if (awaited++ === 0) roundTrips++
    return undefined
  }
  tcp.rewrite = (command, answer) => {
    if (!CLOCK.includes(command.name) && !isNote(command)) awaited--
    return answer
  }
  await act()
  await d.server.drain()
  const direct = commands.filter(name => name !== 'EVALSHA').length + noted
  return { commands, roundTrips, executed: await ran() - before - direct }
}

const posted = () => d.slack.calls('chat.postMessage').length
const gateOpen = () => until('the gate open', async () => await redis.exists('{triage}:line:slack:gate') === 0)

it('a form costs two round trips and two commands at the default pace, until its card is recorded', async () => {
  await gateOpen()
  const before = posted()
  expect(await counted(() => sendForm(d.server, { name: 'Ada' }))).toEqual({
    commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2, executed: 17,
  })
  expect(posted() - before).toBe(1)
  // Its place is free again, and the next card has to wait for the interval.
  expect(await redis.exists('{triage}:line:slack:waiting')).toBe(0)
  expect(await redis.pTTL('{triage}:line:slack:gate')).toBeLessThanOrEqual(1000)
})

it('a form that was sent before costs one, and takes no place', async () => {
  await gateOpen()
  const send = () => sendForm(d.server, { name: 'Ada' }, { 'idempotency-key': 'once' })
  await send()
  await d.server.drain()
  await gateOpen()
  const before = posted()
  expect(await counted(send)).toMatchObject({ commands: ['EVALSHA'], roundTrips: 1 })
  expect([
    posted() - before, await redis.exists(['{triage}:line:slack:waiting', '{triage}:line:slack:gate']),
  ]).toEqual([0, 0])
})

const press = async (action: string) => {
  const { id, card } = await submit(d, { name: 'Ada' })
  await d.server.drain()
  return { id, cost: await counted(() => interact(d.server.url, blockActions(card, action, id, d.slack.reviewer))) }
}

it('a decision costs the claim and what becomes of it, which leaves the trace', async () => {
  // From here on the bot knows the reviewers' names.
  await press('spam')
  const { id, cost } = await press('spam')
  expect(cost).toEqual({ commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2, executed: 20 })
  expect([await redis.exists(`{triage}:d:${id}`), await redis.exists(`{triage}:s:${id}`)]).toEqual([0, 1])
})

it('a forward costs no more when all goes out within a moment: its deliveries and the edit are one write', async () => {
  let forward = await press('forward')
  // On a busy machine a delivery may miss the batch window of the others.
  for (let others = 0; others < 40 && forward.cost.roundTrips > 2; others++) forward = await press('forward')
  const { id, cost } = forward
  expect(cost).toEqual({ commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2, executed: 20 })
  expect([await redis.exists(`{triage}:d:${id}`), await redis.exists(`{triage}:s:${id}`)]).toEqual([0, 1])
})
