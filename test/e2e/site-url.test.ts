import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Setup } from '../../shared/types/setup'
import { cardOf, deploy, openEdit, submitForm, type Deployment } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { repointed } from '../support/preloaded'
import { mention } from '../support/slack-talk'
import { startTeams } from '../support/teams'
import { startTelegram, type TelegramMessage } from '../support/telegram'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'

let d: Deployment
const telegram = endAfterAll(await startTelegram())
const teams = endAfterAll(await startTeams())

const deployWith = (env: Record<string, string>) => deploy({
  ...telegram.env, ...teams.env, ...repointed(teams.hosts), CARD_INTERVAL_MS: '0', ...env,
})

/** Form larger than any platform can show or offer for editing */
const LARGE = { long: 'v'.repeat(5000), ...Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`key ${index}`, 'v'.repeat(1500)]),
) }

async function submitted(data: object): Promise<{ id: string, card: TelegramMessage }> {
  const id = await submitForm(d.server, data)
  await d.server.drain()
  return { id, card: await until('the card', () => telegram.cardOf(id)) }
}

/** Returns everything sent to a vendor so far. */
const sentOut = () => JSON.stringify([
  telegram.requests, teams.requests, d.slack.requests, d.resend.requests,
].map(requests => requests.map(({ body }) => body)))

async function useEverything(): Promise<{ id: string, card: TelegramMessage }> {
  const large = await submitted(LARGE)
  await openEdit(d, await cardOf(d, large.id), large.id)
  const { id, card } = await submitted({ name: 'Ada' })
  for (const words of ['pending', `show ${id}`, 'status']) await mention(d.server.url, d.slack, words)
  await d.server.drain()
  await telegram.click(d.server.url, card, 'Forward Submission')
  await d.server.drain()
  return { id, card }
}

describe('in production without NUXT_PUBLIC_SITE_URL', () => {
  const mistyped = { NUXT_PUBLIC_SITE_ULR: 'https://x.example' }
  beforeEach(async () => { d = await deployWith({ NUXT_PUBLIC_SITE_URL: '', ...mistyped, TRUST_PROXY: '1' }) })
  afterEach(() => d.close())

  it('nothing links to this service, and the start, the status and the set-up page say what is missing', async () => {
    const { id, card } = await useEverything()
    expect(card.text).not.toContain('on the web')
    expect(sentOut()).not.toMatch(/localhost|null\/submissions|\/submissions\//)
    expect(sentOut()).toContain(id)
    expect(d.server.output()).toMatch(/"config.incomplete","reason":"NUXT_PUBLIC_SITE_URL is not set/)
    const ada = visit(d.server)
    await ada.signIn(PASSWORD)
    expect(await (await ada.get('/api/status')).json()).toMatchObject({
      missing: [
        expect.stringContaining('NUXT_PUBLIC_SITE_URL is not set'),
        'NUXT_PUBLIC_SITE_ULR is set but unknown. Did you mean NUXT_PUBLIC_SITE_URL?',
      ],
    })
    const { siteUrl, needsSiteUrl, platforms } = await (await ada.get('/api/setup')).json() as Setup
    const [first] = platforms.find(({ key }) => key === 'slack')!.steps
    // The first step has no link and nothing to copy.
    expect([siteUrl, needsSiteUrl, first]).toEqual([
      null, true, { text: expect.stringContaining('Set NUXT_PUBLIC_SITE_URL') },
    ])
    expect(await (await ada.get('/api/ops/context')).json()).toMatchObject({ formUrl: '/api/form' })
    const manifest = await fetch(`${d.server.url}/api/slack/manifest`)
    expect([manifest.status, await manifest.json()]).toMatchObject([404, { code: 'SITE_URL_MISSING' }])
  })
})

describe('in production without a way to sign in', () => {
  beforeEach(async () => { d = await deployWith({ OPS_PASSWORD: '', NUXT_SESSION_PASSWORD: '' }) })
  afterEach(() => d.close())

  it('no card promises a page that answers 403, and the start says so', async () => {
    const { card } = await useEverything()
    expect(card.text).not.toContain('on the web')
    expect(sentOut()).not.toContain('forms.example.com/')
    expect(d.server.output()).toMatch(/"config.incomplete","reason":"Nobody can sign in to the pages/)
    expect((await fetch(`${d.server.url}/api/slack/manifest`)).status).toBe(200)
  })
})
