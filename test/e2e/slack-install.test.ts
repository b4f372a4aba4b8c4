import { sealSession, type H3Event } from 'h3'
import { afterEach, describe, expect, it } from 'vitest'
import { slackManifest } from '../../server/platforms/slack/manifest'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { OAUTH_APP } from '../support/slack'
import { everythingIn } from '../support/redis-keys'
import {
  agreeTo, atHome, comeBack, deployForWorkspaces, ENCRYPTION_KEY, operator, PARTNER,
} from '../support/slack-workspaces'
import { startServer } from '../support/server'
import { visit } from '../support/visitor'

const SITE = 'https://forms.example.com'
const COOKIE = '__Host-triage-slack-install'
const EXPIRED = '/setup?install=expired'

const d = endAfterAll(await deployForWorkspaces())
afterEach(() => atHome(d.slack))

const codes = () => d.slack.calls('oauth.v2.access')
const installed = async () => (
  [...(await everythingIn(d.redis.url)).keys()].filter(key => key.includes('slack:installation'))
)

describe('installing the app', () => {
  it('asks Slack for the scopes of the manifest, and ties the trip to this browser for 10 minutes', async () => {
    const answer = await (await operator(d)).get('/api/slack/install')
    expect(answer.status).toBe(302)
    const page = new URL(answer.headers.get('location')!)
    expect(page.origin + page.pathname).toBe(`${d.slack.url}/oauth/v2/authorize`)
    expect(Object.fromEntries(page.searchParams)).toEqual({
      client_id: OAUTH_APP.client_id, scope: slackManifest(SITE).oauth_config.scopes.bot.join(','),
      redirect_uri: `${SITE}/api/slack/oauth/callback`, state: expect.stringMatching(/^[\w-]{43}$/),
    })
    const [cookie, ...others] = answer.headers.getSetCookie()
    expect(others).toEqual([])
    expect(cookie).toMatch(new RegExp(`^${COOKIE}=`))
    for (const attribute of [
      'HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/', 'Max-Age=600',
    ]) expect(cookie!.split('; ')).toContain(attribute)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is for people who have signed in', async () => {
    const answer = await visit(d.server).get('/api/slack/install')
    expect(answer.status).toBe(401)
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('keeps nothing that was cancelled, refused, or that Slack did not answer, and the log says why without secrets', async () => {
    const cancelling = await operator(d)
    const { searchParams } = await agreeTo(d, cancelling)
    expect(await comeBack(cancelling, {
      pathname: '/api/slack/oauth/callback', search: `?error=access_denied&state=${searchParams.get('state')}`,
    })).toBe('/setup?install=cancelled')
    const refused = await operator(d)
    const back = await agreeTo(d, refused)
    back.searchParams.set('code', 'made-up')
    expect(await comeBack(refused, back)).toBe('/setup?install=failed')
    d.slack.fault = ({ path }) => path === '/api/oauth.v2.access' ? 'drop' : undefined
    const unlucky = await operator(d)
    expect(await comeBack(unlucky, await agreeTo(d, unlucky))).toBe('/setup?install=failed')
    expect(await installed()).toEqual([])
    expect(d.server.output()).toContain('invalid_code')
    expect(d.server.output()).not.toContain(OAUTH_APP.client_secret)
  })

  it('keeps the workspace, its token encrypted', async () => {
    const ada = await operator(d)
    expect(await comeBack(ada, await agreeTo(d, ada))).toBe(`/setup?install=done&workspace=${PARTNER}`)
    expect(codes().at(-1)).toMatchObject({ redirect_uri: `${SITE}/api/slack/oauth/callback` })
    const kept = await everythingIn(d.redis.url)
    const [key, ...others] = await installed()
    expect(others).toEqual([])
    expect(key).toContain(PARTNER)
    expect(JSON.parse(kept.get(key!)!)).toMatchObject({
      botToken: { iv: expect.any(String), data: expect.any(String), tag: expect.any(String) },
    })
    for (const value of kept.values()) expect(value).not.toContain('xoxb-')
    expect(d.server.output()).not.toContain('xoxb-')
    expect([...ada.cookies.keys()]).toEqual(['__Host-triage-session'])
  })
})

describe('coming back from Slack', () => {
  it('with a state that is made up, absent, repeated or of another browser ends there, and Slack is not asked', async () => {
    const [ada, mallory] = [await operator(d), await operator(d)]
    const stolen = await agreeTo(d, mallory)
    const asked = codes().length
    for (const search of [
      stolen.search, `?code=x&state=${'A'.repeat(43)}`, '?code=x', '?code=x&state=', `${stolen.search}&state=x`,
    ]) {
      await ada.get('/api/slack/install')
      expect(await comeBack(ada, { pathname: stolen.pathname, search })).toBe(EXPIRED)
      // A visitor who never started an installation
      expect(await comeBack(visit(d.server), { pathname: stolen.pathname, search })).toBe(EXPIRED)
    }
    expect(codes()).toHaveLength(asked)
  })

  it('works once', async () => {
    const ada = await operator(d)
    const back = await agreeTo(d, ada)
    expect(await comeBack(ada, back)).toContain('install=done')
    const asked = codes().length
    expect(await comeBack(ada, back)).toBe(EXPIRED)
    expect(codes()).toHaveLength(asked)
  })

  it('works for 10 minutes', async () => {
    const after = async (age: number) => {
      const state = 's'.repeat(43)
      const session = { id: 'x', createdAt: Date.now(), data: { state, at: Date.now() - age } }
      const ada = visit(d.server)
      ada.cookies.set(COOKIE, await sealSession(
        { context: { sessions: { [COOKIE]: session } } } as unknown as H3Event,
        { name: COOKIE, password: ENCRYPTION_KEY },
      ))
      return comeBack(ada, { pathname: '/api/slack/oauth/callback', search: `?error=access_denied&state=${state}` })
    }
    expect(await after(10 * 60_000 + 1)).toBe(EXPIRED)
    expect(await after(9 * 60_000)).toBe('/setup?install=cancelled')
  })
})

it('the manifest names where Slack sends people back to, and has it say when a workspace leaves', async () => {
  const manifest = await (await fetch(`${d.server.url}/api/slack/manifest`)).json() as ReturnType<typeof slackManifest>
  expect(manifest).toEqual(slackManifest(SITE, { oauth: true }))
  expect(await (await fetch(`${d.server.url}/api/slack/manifest?files`)).json()).toEqual(
    slackManifest(SITE, { oauth: true, files: true }),
  )
  expect(manifest.oauth_config.redirect_urls).toEqual([`${SITE}/api/slack/oauth/callback`])
  expect(manifest.settings.event_subscriptions.bot_events).toEqual([
    ...slackManifest(SITE).settings.event_subscriptions.bot_events, 'app_uninstalled', 'tokens_revoked',
  ])
})

it('without SLACK_CLIENT_ID there is nothing to install, which the answer says', async () => {
  const { SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_ENCRYPTION_KEY, ...env } = d.env
  const server = endAfterTest(await startServer(env))
  const ada = await operator({ ...d, server })
  for (const path of ['/api/slack/install', '/api/slack/oauth/callback?code=x&state=x']) {
    const answer = await ada.get(path)
    const said = expect.stringContaining('SLACK_CLIENT_ID') as string
    expect([answer.status, await answer.json()]).toEqual([404, { code: 'SLACK_OAUTH_OFF', error: said, message: said }])
  }
})
