import { createClient } from 'redis'
import { expect, test } from 'vitest'
import { cardOf, deploy } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { seed, waiting } from '../support/seed'
import { until } from '../support/until'
import type { Work } from '../../server/ports/submission'

const d = endAfterAll(await deploy({ SWEEP_INTERVAL_MS: '50', LEASE_MS: '500' }))

test('work of a newer version is left to it, without an error at each sweep, and all other work is done', async () => {
  const due = { attempts: 0, dueAt: Date.now() - 1000 }
  const later = { key: 'fax#2', kind: 'fax', ...due } as unknown as Work
  const one = waiting({ cards: [], work: [later, { key: 'post:slack', kind: 'post', room: 'slack', ...due }] })
  await seed(d.redis.url, [one])
  await cardOf(d, one.id)
  const client = await createClient({ url: d.redis.url }).connect()
  const dueAt = async () => Number(await client.zScore('{triage}:due', one.id))
  // Each sweep postpones the work by one lease.
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    const before = await dueAt()
    await until('another sweep', async () => await dueAt() > before)
  }
  await d.server.drain()
  const record = JSON.parse(await client.hGet(`{triage}:s:${one.id}`, 'r') ?? '') as { work: Work[] }
  expect(record.work).toEqual([later])
  expect(d.server.output().split('\n').filter(line => line.includes('"level":"error"'))).toEqual([])
  await client.close()
})
