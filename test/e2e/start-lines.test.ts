import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { submitForm } from '../support/deployment'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { testFolder } from '../support/lifetime'
import { runToExit, startServer } from '../support/server'
import { until } from '../support/until'

type Line = Record<string, unknown>

const d = await deployEverywhere()

const lines = (event: string) => d.server.output().split('\n').filter(line => line.startsWith('{')).map(
  line => JSON.parse(line) as Line,
).filter(line => line.event === event)
const linesOn = (event: string, count: number) => until(`${count} ${event}`, () => (
  lines(event).length >= count && lines(event).sort((a, b) => String(a.platform).localeCompare(String(b.platform)))
))

describe('the log', () => {
  it('begins with version, store, mailer and pages, and says who the bot is on each platform', async () => {
    expect(lines('service.started')).toEqual([expect.objectContaining({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string, platforms: Object.keys(PLATFORMS),
      store: `Redis at ${new URL(d.env.STORE_URL!).host}`, mailer: 'Resend', pages: 'https://forms.example.com/',
    })])
    const found = await linesOn('platform.identified', 6)
    expect(found.map(({ platform, bot }) => [platform, typeof bot === 'string' && bot.length > 3])).toEqual(
      Object.keys(PLATFORMS).sort().map(key => [key, true]),
    )
    expect(lines('platform.refused')).toEqual([])
  })

  it('says that a platform works again after it failed, and at the end on which signal the service stops', async () => {
    const { telegram } = d.doubles
    telegram.fault = () => ({ status: 500, body: '{"ok":false,"error_code":500}' })
    await submitForm(d.server, { name: 'Ada' })
    await until('the failure', () => lines('work.failed').length > 0)
    telegram.fault = () => undefined
    await linesOn('part.works-again', 1)
    expect(lines('part.works-again')).toMatchObject([{ level: 'info', part: 'telegram' }])
    await d.server.stop()
    expect(lines('service.stopping')).toMatchObject([{ signal: 'SIGTERM' }])
    expect(lines('service.stopped')).toHaveLength(1)
  })

  it('names the variable of each credential that a platform refuses, before any card needs it', async () => {
    d.slack.fault = ({ path }) => path.endsWith('/auth.test')
      ? { status: 200, body: '{"ok":false,"error":"invalid_auth"}' }
      : undefined
    d.server = await startServer({
      ...d.env, PLATFORM2_BOT_TOKEN: 'wrong', TEAMS_APP_PASSWORD: 'wrong',
      TELEGRAM_BOT_TOKEN: '1:wrong', WHATSAPP_ACCESS_TOKEN: 'wrong',
    })
    const refused = await linesOn('platform.refused', 5)
    expect(refused.map(({ platform, reason }) => [platform, /\b[A-Z\d]+_[A-Z_]+/.exec(String(reason))?.[0]])).toEqual([
      ['discord', 'PLATFORM2_BOT_TOKEN'], ['slack', 'CHAT_BOT_TOKEN'], ['teams', 'TEAMS_APP_ID'],
      ['telegram', 'TELEGRAM_BOT_TOKEN'], ['whatsapp', 'WHATSAPP_ACCESS_TOKEN'],
    ])
  })
})

describe('a start that cannot work says what to do', () => {
  it.each([
    '/proc/forms/data', '/dev/null/data',
  ])('with DATA_DIR=%s, in which nothing can be written, within seconds', async (DATA_DIR) => {
    const begun = Date.now()
    const { code, output } = await runToExit({ NODE_ENV: 'development', DATA_DIR })
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining(`DATA_DIR cannot be used: ${DATA_DIR} is no folder in which this user may write (`),
    })
    expect(Date.now() - begun).toBeLessThan(10_000)
  })

  it('without a build', () => {
    const script = resolve(import.meta.dirname, '../../scripts/built.mjs')
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: testFolder(), encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('There is no build yet. Run npm run build first')])
  })
})
