import { expect, it } from 'vitest'
import { endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'
import { PASSWORD, QUIET_PRODUCTION, visit, WITH_PASSWORD } from '../support/visitor'

const TOKEN = 'a-metrics-token-of-some-length'

it('after 50 wrong passwords in a minute, from many addresses, each attempt waits a second on all processes, and nobody is locked out', async () => {
  const redis = endAfterTest(await startRedis())
  const env = {
    ...QUIET_PRODUCTION, ...WITH_PASSWORD, STORE_URL: redis.url, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com', METRICS_TOKEN: TOKEN,
  }
  const [here, there] = await Promise.all([startServer(env), startServer(env)])
  const ms = async (act: () => Promise<unknown>) => {
    const before = performance.now()
    await act()
    return performance.now() - before
  }
  const guess = async (count: number) => Promise.all(
    Array.from({ length: count }, async () => expect((await visit(here).signIn('wrong')).status).toBe(401)),
  )
  await guess(50)
  expect(here.output()).not.toContain('sign-in.guessed')
  expect(await ms(() => guess(1))).toBeGreaterThanOrEqual(1000)
  for (const server of [here, there]) {
    const ada = visit(server)
    expect(await ms(async () => expect((await ada.signIn(PASSWORD)).status).toBe(200))).toBeGreaterThanOrEqual(1000)
    expect((await ada.get('/api/submissions/0b1f2c3d')).status).toBe(404)
    const status = await (await ada.get('/api/status')).json() as { incidents: { text: string }[] }
    expect(status.incidents.map(({ text }) => text)).toEqual([expect.stringContaining('OPS_PASSWORD')])
  }
  expect(here.output().split('\n').filter(line => line.includes('sign-in.guessed'))).toHaveLength(1)
  const metrics = await fetch(`${here.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  expect(await metrics.text()).toMatch(/^triage_incidents_total\{kind="guessed-passwords"\} 1$/m)
  await Promise.all([here.kill(), there.kill()])
})
