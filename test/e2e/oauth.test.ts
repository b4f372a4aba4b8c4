import { sealSession, type H3Event } from 'h3'
import { afterEach, describe, expect, it } from 'vitest'
import { ADA, DISCORD_APP, SLACK_APP, startIdentityDouble, type Person } from '../support/identity'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { QUIET_PRODUCTION, SESSION_PASSWORD, visit, type Visitor } from '../support/visitor'

const SITE = 'https://forms.example.com'
const PENDING = '__Host-triage-sign-in'

const platforms = endAfterAll(await startIdentityDouble())
const redis = endAfterAll(await startRedis())
const server = endAfterAll(await startServer({
  ...QUIET_PRODUCTION, ...platforms.env, NUXT_SESSION_PASSWORD: SESSION_PASSWORD, STORE_URL: redis.url,
  NUXT_PUBLIC_SITE_URL: SITE,
}))
afterEach(() => { platforms.fault = () => undefined })

/** Presses the button; resolves with the address of the platform's page. */
async function begin(visitor: Visitor, platform: string, to?: string): Promise<string> {
  const answer = await visitor.get(`/api/auth/${platform}${to ? `?to=${encodeURIComponent(to)}` : ''}`)
  expect(answer.status).toBe(302)
  return answer.headers.get('location')!
}

/** Follows the platform's redirect back to the service; resolves with the browser's final address. */
async function comeBack(visitor: Visitor, { pathname, search }: URL): Promise<string> {
  const answer = await visitor.get(pathname + search)
  expect(answer.status).toBe(302)
  return answer.headers.get('location')!
}

async function viewerOf(visitor: Visitor): Promise<unknown> {
  return (await (await visitor.get('/api/auth/session')).json() as { viewer: unknown }).viewer
}

const signInAs = async (visitor: Visitor, platform: string, person: Person = ADA) => comeBack(
  visitor, platforms.agree(await begin(visitor, platform), person),
)

describe.each([
  {
    platform: 'slack', label: 'Slack', client: SLACK_APP.OPS_SLACK_CLIENT_ID, scope: 'openid profile',
    viewer: { id: 'U0ADA', name: 'Ada Lovelace', platform: 'Slack' },
    outsider: { ...ADA, slack: { ...ADA.slack, team: `${ADA.slack.team}2` } },
  },
  {
    platform: 'discord', label: 'Discord', client: DISCORD_APP.OPS_DISCORD_CLIENT_ID, scope: 'identify guilds',
    viewer: { id: '623456789012345678', name: 'Ada L.', platform: 'Discord' },
    outsider: { ...ADA, discord: { ...ADA.discord, guilds: ['1', `${DISCORD_APP.OPS_DISCORD_GUILD_ID}2`] } },
  },
])('signing in with $label', ({ platform, client, scope, viewer, outsider }) => {
  it('asks for the name and the team only, and comes back to the page that was wanted', async () => {
    const ada = visit(server)
    const page = await begin(ada, platform, '/submissions/x?tab=history')
    expect(Object.fromEntries(new URL(page).searchParams)).toMatchObject({
      client_id: client, scope, redirect_uri: `${SITE}/api/auth/${platform}/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await comeBack(ada, platforms.agree(page))).toBe('/sign-in?to=%2Fsubmissions%2Fx%3Ftab%3Dhistory')
    expect(await viewerOf(ada)).toEqual({ ...viewer, role: 'reviewer' })
    expect((await ada.get('/api/submissions/0b1f2c3d')).status).toBe(404)
    expect([...ada.cookies.keys()]).toEqual(['__Host-triage-session'])
  })

  it('refuses people of another team', async () => {
    const mallory = visit(server)
    expect(await signInAs(mallory, platform, outsider)).toBe('/sign-in?problem=not-a-member')
    expect(await viewerOf(mallory)).toBeNull()
  })

  it('refuses a state that is made up, absent, repeated or of another browser, and asks the platform nothing', async () => {
    const [ada, mallory] = [visit(server), visit(server)]
    await begin(ada, platform)
    const stolen = platforms.agree(await begin(mallory, platform))
    // Count only sign-in requests. The bot also requests its own identity.
    const asks = () => platforms.requests.filter(({ path }) => !path.endsWith('/auth.test')).length
    const asked = asks()
    for (const query of [
      stolen.search, `?code=x&state=${'A'.repeat(43)}`, '?code=x', '?code=x&state=', `${stolen.search}&state=x`,
    ]) {
      await begin(ada, platform)
      expect(await comeBack(ada, new URL(`${stolen.pathname}${query}`, SITE))).toBe('/sign-in?problem=expired')
      // A visitor who never started a sign-in
      expect(
        await comeBack(visit(server), new URL(`${stolen.pathname}${query}`, SITE)),
      ).toBe('/sign-in?problem=expired')
    }
    expect(asks()).toBe(asked)
    expect(await viewerOf(ada)).toBeNull()
  })

  it('takes a state once', async () => {
    const ada = visit(server)
    const back = platforms.agree(await begin(ada, platform))
    await comeBack(ada, back)
    expect(await comeBack(ada, back)).toBe('/sign-in?problem=expired')
  })

  it('refuses a state that is older than 10 minutes', async () => {
    const pending = async (age: number) => {
      const state = 's'.repeat(43)
      const session = { id: 'x', createdAt: Date.now(), data: { state, platform, to: '', at: Date.now() - age } }
      const sealed = await sealSession({ context: { sessions: { [PENDING]: session } } } as unknown as H3Event, {
        name: PENDING, password: SESSION_PASSWORD,
      })
      const ada = visit(server)
      ada.cookies.set(PENDING, sealed)
      return comeBack(ada, new URL(`/api/auth/${platform}/callback?error=access_denied&state=${state}`, SITE))
    }
    expect(await pending(10 * 60_000 + 1)).toBe('/sign-in?problem=expired')
    expect(await pending(9 * 60_000)).toBe('/sign-in?problem=cancelled')
  })

  it('has the log told of who cancels, in no more than a few words of what came back', async () => {
    const ada = visit(server)
    const back = platforms.agree(await begin(ada, platform))
    back.searchParams.delete('code')
    back.searchParams.set('error', `${platform} ${'x'.repeat(1000)}`)
    expect(await comeBack(ada, back)).toBe('/sign-in?problem=cancelled')
    const line = await until('the log', () => server.output().split('\n').find(each => each.includes(`${platform} x`)))
    expect(line).toMatch(/[^x]x{50,60}[^x]/)
  })

  it.each<[string, Parameters<typeof platforms.fault>[0]['path'], ReturnType<typeof platforms.fault>]>([
    ['refuses the code', 'token', { status: 400, body: '{"error":"invalid_client"}' }],
    ['answers with no token', 'token', { status: 200, body: '{"ok":true}' }],
    ['answers with no JSON', 'token', { status: 200, body: '<html>' }],
    ['drops the connection', 'token', 'drop'],
    ['sends elsewhere', 'token', { status: 307, headers: { location: '/elsewhere' } }],
    ['does not know the person', platform === 'slack' ? 'userInfo' : '@me', { status: 200, body: '{}' }],
  ])('says to try again when the platform %s, and the log says why', async (_, path, fault) => {
    const ada = visit(server)
    const back = platforms.agree(await begin(ada, platform))
    platforms.fault = request => request.path.endsWith(path) ? fault : undefined
    expect(await comeBack(ada, back)).toBe('/sign-in?problem=unavailable')
    expect(await viewerOf(ada)).toBeNull()
    expect(platforms.requests.filter(request => request.path === '/elsewhere')).toEqual([])
    expect(server.output()).toContain('"sign-in.refused"')
    expect(server.output()).not.toContain('Cannot destructure')
    for (const secret of [
      SLACK_APP.OPS_SLACK_CLIENT_SECRET, DISCORD_APP.OPS_DISCORD_CLIENT_SECRET, back.searchParams.get('code')!,
    ]) expect(server.output()).not.toContain(secret)
  })
})

it('a sign-in begun with one platform is not finished with the other', async () => {
  const ada = visit(server)
  const { search } = platforms.agree(await begin(ada, 'slack'))
  expect(await comeBack(ada, new URL(`/api/auth/discord/callback${search}`, SITE))).toBe('/sign-in?problem=expired')
})

it('the cookie between leaving and coming back is of this very host, by https, for 10 minutes', async () => {
  const [cookie] = (await visit(server).get('/api/auth/slack')).headers.getSetCookie()
  for (const attribute of [
    'HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/', 'Max-Age=600',
  ]) expect(cookie!.split('; ')).toContain(attribute)
  expect(cookie).toMatch(/^__Host-(?!.*Domain=)/)
})

it('a sign-in that is begun anew has its own 10 minutes, whatever is left of the one before', async () => {
  const ada = visit(server)
  const before = { id: 'x', createdAt: Date.now() - 9 * 60_000, data: {} }
  ada.cookies.set(PENDING, await sealSession({ context: { sessions: { [PENDING]: before } } } as unknown as H3Event, {
    name: PENDING, password: SESSION_PASSWORD,
  }))
  const [cookie] = (await ada.get('/api/auth/slack')).headers.getSetCookie()
  expect(new Date(/Expires=([^;]+)/.exec(cookie!)![1]!).getTime() - Date.now()).toBeGreaterThan(9.9 * 60_000)
})

it('a page that is longer than any of ours fits into the cookie', async () => {
  const [cookie] = (await visit(server).get(`/api/auth/slack?to=/${'x'.repeat(5000)}`)).headers.getSetCookie()
  // Minimum size that browsers must support for a cookie: RFC 6265, 6.1
  expect(cookie!.length).toBeLessThan(4096)
})

it('coming back counts as an attempt to sign in: the 11th in a minute from one address asks the platform nothing', async () => {
  const mallory = visit(server)
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await comeBack(mallory, new URL('/api/auth/slack/callback?code=x&state=x', SITE))).toContain('expired')
  }
  const { pathname, search } = platforms.agree(await begin(mallory, 'slack'))
  const asked = platforms.requests.length
  expect((await mallory.get(pathname + search)).status).toBe(429)
  expect([platforms.requests.length, await viewerOf(mallory)]).toEqual([asked, null])
})
