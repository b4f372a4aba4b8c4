// docs/scaling.md lists the Redis costs of a submission. This test checks the numbers in its tables.

import { readFileSync } from 'node:fs'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { deploy, openEdit, sendForm, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'
import { startTcpProxy, type Command } from '../support/tcp-proxy'
import { until } from '../support/until'

const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
/** Returns the number in the second column of the row that starts with `label`. */
const documented = (label: string) => Number(
  page.split('\n').find(line => line.startsWith(`| ${label} |`))?.split('|')[2]?.replaceAll(',', ''),
)

/** A form of typical length: 635 bytes of JSON */
const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.\nDelivery to London. '.repeat(8),
  company: 'Analytical Engines Ltd.', phone: '+44 20 7946 0000', budget: '10,000', newsletter: false,
}

const tcp = endAfterAll(await startTcpProxy())
// The default card rate for Slack, and no background work during the test
const d = endAfterAll(await deploy({
  STORE_URL: tcp.url, CARD_INTERVAL_MS: '', FORM_RATE_LIMIT: '600', FORM_RATE_LIMIT_MB: '20',
  SWEEP_INTERVAL_MS: '600000',
}))
tcp.use(d.redis.port)
const redis = endAfterAll(createClient({ url: d.redis.url }))
await redis.connect()
await until('a form accepted', async () => (await sendForm(d.server, FORM)).status === 200)

/** True for commands that are not caused by a submission: clock checks, and the health status every ten seconds. */
const isOwn = ({ name, args }: Command) => ['TIME', 'PING'].includes(name) || args[0] === '{triage}:health'

/** Returns how many commands Redis has run, inside and outside scripts. Leaves out EXPIRE, sent once an hour. */
async function ran(): Promise<number> {
  const all = [...(await redis.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
  const others = ['evalsha', 'eval', 'info', 'expire', 'time', 'ping']
  return all.filter(([, name]) => !others.includes(name!)).reduce((sum, [, , calls]) => sum + Number(calls), 0)
}

/** Runs `act` and counts the commands sent to Redis, the round trips, and the commands executed inside scripts. */
async function counted(act: () => Promise<unknown>) {
  await d.server.drain()
  const before = await ran()
  const commands: string[] = []
  let [roundTrips, awaited, notes] = [0, 0, 0]
  tcp.fault = (command) => {
    if (command.args[0] === '{triage}:health') notes++
    if (isOwn(command)) return undefined
    commands.push(command.name)
    if (awaited++ === 0) roundTrips++
    return undefined
  }
  tcp.rewrite = (command, answer) => {
    if (!isOwn(command)) awaited--
    return answer
  }
  await act()
  await d.server.drain()
  const direct = commands.filter(name => name !== 'EVALSHA').length + notes
  return { commands, roundTrips, executed: await ran() - before - direct }
}

const posted = () => d.slack.calls('chat.postMessage').length
const gateOpen = () => until('the gate open', async () => await redis.exists('{triage}:line:slack:gate') === 0)

it('a form costs two round trips and two commands at the default pace, until its card is recorded', async () => {
  await gateOpen()
  const before = posted()
  const cost = await counted(() => sendForm(d.server, FORM))
  expect(cost).toEqual({ commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2, executed: 17 })
  expect(documented('Form, card at once')).toBe(cost.commands.length)
  expect(posted() - before).toBe(1)
  // The form's place in the queue is free again, and the next card has to wait for the interval.
  expect(await redis.exists('{triage}:line:slack:waiting')).toBe(0)
  expect(await redis.pTTL('{triage}:line:slack:gate')).toBeLessThanOrEqual(1000)
})

it('a form that was sent before costs one, and takes no place', async () => {
  const send = () => sendForm(d.server, FORM, { 'idempotency-key': 'once' })
  await send()
  await d.server.drain()
  await gateOpen()
  const before = posted()
  expect(await counted(send)).toMatchObject({ commands: ['EVALSHA'], roundTrips: 1 })
  expect([
    posted() - before, await redis.exists(['{triage}:line:slack:waiting', '{triage}:line:slack:gate']),
  ]).toEqual([0, 0])
})

async function press(action: string) {
  const { id, card } = await submit(d, FORM)
  const cost = await counted(() => interact(d.server.url, blockActions(card, action, id, d.slack.reviewer)))
  return { id, cost }
}

it.each(['spam', 'forward'])('%s costs the claim and one write of what becomes of it, which leaves the trace', async (action) => {
  let pressed = await press(action)
  // Some clicks cost more: the very first one reads the reviewer's name, and the first one of an hour sets the lifetime
  // of the counters. On a busy machine, a late delivery may need a write of its own.
  const isOrdinary = () => pressed.cost.roundTrips <= 2 && pressed.cost.executed <= 20
  for (let others = 0; others < 40 && !isOrdinary(); others++) pressed = await press(action)
  const { id, cost } = pressed
  expect(cost).toEqual({ commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2, executed: 20 })
  expect(documented(action === 'spam' ? 'Spam' : 'Forward')).toBeGreaterThanOrEqual(2)
  expect([await redis.exists(`{triage}:d:${id}`), await redis.exists(`{triage}:s:${id}`)]).toEqual([0, 1])
})

it('an edit costs no more than docs/scaling.md says, and an open submission no more memory', async () => {
  const { id, card } = await submit(d, FORM)
  await d.server.drain()
  const bytes = await Promise.all(['s', 'd'].map(kind => redis.memoryUsage(`{triage}:${kind}:${id}`, { SAMPLES: 0 })))
  expect(JSON.stringify(FORM)).toHaveLength(635)
  expect(bytes[0]).toBeLessThanOrEqual(documented('`{triage}:s:<id>`'))
  expect(bytes[1]).toBeLessThanOrEqual(documented('`{triage}:d:<id>`'))
  const { commands } = await counted(async () => submitEdit(d, await openEdit(d, card, id), { i0: 'Grace' }))
  expect(commands.length).toBeLessThanOrEqual(documented('Edit & Forward'))
})
