import { sealSession, type H3Event } from 'h3'
import { describe, expect, it } from 'vitest'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { PASSWORD, QUIET_PRODUCTION, SESSION_PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'
import { postJson } from '../support/webhook'

const SITE = 'https://forms.example.com'
/** Route that answers 404 to a signed-in user, because the submission does not exist */
const GUARDED = '/api/submissions/0b1f2c3d'
const SESSION = '__Host-triage-session'
const HOUR_MS = 3_600_000

const redis = endAfterAll(await startRedis())
const server = endAfterAll(await startServer({
  ...QUIET_PRODUCTION, ...WITH_PASSWORD, STORE_URL: redis.url, NUXT_PUBLIC_SITE_URL: SITE,
}))

/** Returns how long a browser keeps a cookie, hours. */
function hoursOf(cookie: string): number {
  return (new Date(/Expires=([^;]+)/.exec(cookie)![1]!).getTime() - Date.now()) / HOUR_MS
}

describe('the password', () => {
  it('signs somebody in under the name that they give, until they sign out', async () => {
    const ada = visit(server)
    expect((await ada.get(GUARDED)).status).toBe(401)
    const answer = await ada.signIn(PASSWORD, '  Ada Lovelace ')
    const viewer = { id: 'ops:ada lovelace', name: 'Ada Lovelace', platform: 'Ops page' }
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { viewer } })
    expect((await ada.get(GUARDED)).status).toBe(404)
    expect(await (await ada.get('/api/auth/session')).json()).toEqual({
      viewer: { ...viewer, role: 'reviewer' }, closed: null, refused: null, password: true, platforms: [], takes: false,
    })
    expect((await visit(server).get(GUARDED)).status).toBe(401)

    const left = await ada.post('/api/auth/sign-out', {})
    expect(left.status).toBe(200)
    // The prefix of the cookie's name requires these attributes: without them, browsers would not delete the cookie.
    for (const attribute of [
      'Max-Age=0', 'Path=/', 'Secure',
    ]) expect(left.headers.get('set-cookie')!.split('; ')).toContain(attribute)
    expect((await ada.get(GUARDED)).status).toBe(401)
    expect(await (await ada.get('/api/auth/session')).json()).toEqual({
      viewer: null, closed: null, refused: null, password: true, platforms: [], takes: false,
    })
  })

  it.each([
    ['another', 'correct horse batterY'], ['a part of it', PASSWORD.slice(0, -1)], ['empty', ''],
    ['no text', { length: 21 }],
  ])('that is wrong (%s) is 401, sets no cookie, and says nothing of the right one', async (_, password) => {
    const mallory = visit(server)
    const answer = await mallory.signIn(password as string)
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 401, body: { error: 'The password is wrong.', message: 'The password is wrong.', code: 'WRONG_PASSWORD' },
    })
    expect([...mallory.cookies.keys()]).toEqual([])
  })

  it.each([['missing', undefined], ['blank', '   '], [
    'longer than 80 characters', 'x'.repeat(81),
  ], ['with a line break', 'Ada\nAdmin'], ['no text', 7]])('with a name that is %s is 400', async (_, name) => {
    const answer = await visit(server).post('/api/auth/sign-in', { name, password: PASSWORD })
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400, body: { code: 'NAME_REQUIRED' },
    })
  })

  it.each(['', '{', 'null', '[]', '"text"'])('is asked for by a body such as %j without an error of ours', async (body) => {
    expect((await visit(server).post('/api/auth/sign-in', body)).status).toBe(400)
  })
})

describe('the session cookie', () => {
  it('is for this site by https only, out of reach of scripts, and lives 12 hours', async () => {
    const [cookie, ...others] = (await visit(server).signIn(PASSWORD)).headers.getSetCookie()
    expect(others).toEqual([])
    expect(cookie).toMatch(/^__Host-triage-session=(?!.*Domain=)/)
    for (const attribute of [
      'HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/',
    ]) expect(cookie!.split('; ')).toContain(attribute)
    expect(hoursOf(cookie!)).toBeGreaterThan(11.9)
    expect(hoursOf(cookie!)).toBeLessThanOrEqual(12)
  })

  it('tells nothing to who reads it, and counts for nothing once it is touched', async () => {
    const ada = visit(server)
    await ada.signIn(PASSWORD)
    const sealed = ada.cookies.get(SESSION)!
    // A shorter name may occur in random letters by chance.
    expect(decodeURIComponent(sealed)).not.toMatch(/lovelace/i)
    const touched = `${sealed.slice(0, 80)}${sealed[80] === 'A' ? 'B' : 'A'}${sealed.slice(81)}`
    for (const forged of [
      sealed.slice(0, -2), sealed.replace('Fe26.2', 'Fe26.1'), touched, 'x',
      encodeURIComponent('{"user":{"id":"x","name":"x"}}'),
    ]) {
      ada.cookies.set(SESSION, forged)
      expect((await ada.get(GUARDED)).status).toBe(401)
    }
    expect((await visit(server).get(
      GUARDED, { 'x-__host-triage-session-session': sealed, 'x-nuxt-session-session': sealed },
    )).status).toBe(401)
  })

  it('counts for 12 hours wherever it is kept for longer, and signing in again begins them anew', async () => {
    const signedIn = async (ago: number) => {
      const user = { id: 'ops:ada', name: 'Ada', platform: 'Ops page' }
      const session = { id: 'x', createdAt: Date.now() - ago, data: { user } }
      const ada = visit(server)
      ada.cookies.set(SESSION, await sealSession(
        { context: { sessions: { [SESSION]: session } } } as unknown as H3Event,
        { name: SESSION, password: SESSION_PASSWORD + PASSWORD },
      ))
      return ada
    }
    expect((await (await signedIn(12 * HOUR_MS + 1)).get(GUARDED)).status).toBe(401)
    const ada = await signedIn(11 * HOUR_MS)
    expect((await ada.get(GUARDED)).status).toBe(404)
    const [cookie] = (await ada.signIn(PASSWORD)).headers.getSetCookie()
    expect(hoursOf(cookie!)).toBeGreaterThan(11.9)
  })

  it('ends with the password that it began with', async () => {
    const ada = visit(server)
    await ada.signIn(PASSWORD)
    const other = endAfterTest(await startServer({
      ...QUIET_PRODUCTION, ...WITH_PASSWORD, OPS_PASSWORD: 'another horse battery', STORE_URL: redis.url,
      NUXT_PUBLIC_SITE_URL: SITE,
    }))
    const later = visit(other)
    for (const [name, value] of ada.cookies) later.cookies.set(name, value)
    expect((await later.get(GUARDED)).status).toBe(401)
  })

  it('is by https only in production whatever the site URL says; sealed with another NUXT_SESSION_PASSWORD it signs nobody in', async () => {
    const other = endAfterTest(await startServer({
      ...QUIET_PRODUCTION, ...WITH_PASSWORD, NUXT_SESSION_PASSWORD: 'x'.repeat(32), STORE_URL: redis.url,
      NUXT_PUBLIC_SITE_URL: 'http://forms.internal',
    }))
    const ada = visit(other)
    expect((await ada.signIn(PASSWORD)).headers.get('set-cookie')).toContain('Secure')
    expect((await ada.get(GUARDED)).status).toBe(404)
    const here = visit(server)
    here.cookies.set(SESSION, ada.cookies.get(SESSION)!)
    expect((await here.get(GUARDED)).status).toBe(401)
  })
})

describe('a page of another site', () => {
  it.each<[string, number, Record<string, string>]>([
    ['says so by Sec-Fetch-Site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['on a neighbouring host says so', 403, { 'sec-fetch-site': 'same-site' }],
    ['in an older browser says so by Origin', 403, { origin: 'https://evil.example' }],
    ['at an address that begins like this one says so by Origin', 403, { origin: `${SITE}.evil.example` }],
    ['without an origin says so', 403, { origin: 'null' }],
    ['was opened by nobody\'s page says so', 403, { 'sec-fetch-site': 'none' }],
    ['sends an HTML form as text', 415, { 'content-type': 'text/plain' }],
    ['sends a text that names JSON', 415, { 'content-type': 'text/plain; x=application/json' }],
    ['sends an HTML form', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('that %s is %d, and signs nobody in or out', async (_, status, headers) => {
    const ada = visit(server)
    await ada.signIn(PASSWORD)
    const cookie = `__Host-triage-session=${ada.cookies.get(SESSION)}`
    for (const [path, body] of [
      ['/api/auth/sign-out', {}], ['/api/auth/sign-in', { name: 'Mallory', password: PASSWORD }],
    ] as const) {
      const answer = await postJson(server.url + path, body, { cookie, ...headers })
      expect(answer.status).toBe(status)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  it('that sends bytes of no type is 415', async () => {
    const body = Buffer.from(JSON.stringify({ name: 'Mallory', password: PASSWORD }))
    const answer = await fetch(`${server.url}/api/auth/sign-in`, { method: 'POST', body })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([415, []])
  })

  it('is not what pages at NUXT_PUBLIC_SITE_URL are, whatever Host a proxy made of it', async () => {
    expect(
      (await visit(server).post('/api/auth/sign-in', { name: 'Ada', password: PASSWORD }, { origin: SITE })).status,
    ).toBe(200)
  })
})

describe('attempts to sign in', () => {
  it('are 10 a minute from one address; the 11th waits even with the right password, and others do not', async () => {
    const mallory = visit(server)
    for (let attempt = 0; attempt < 10; attempt++) expect((await mallory.signIn('wrong')).status).toBe(401)
    const answer = await mallory.signIn(PASSWORD)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect(await answer.json()).toMatchObject({ code: 'TOO_MANY_SIGN_INS', error: expect.stringMatching(/in \d+ s/) })
    expect([...mallory.cookies]).toEqual([])
    expect((await visit(server).signIn(PASSWORD)).status).toBe(200)
  })

  it('are refused while they cannot be counted', async () => {
    const [ada, grace] = [visit(server), visit(server)]
    await grace.signIn(PASSWORD)
    redis.pause()
    try {
      expect((await ada.signIn(PASSWORD)).status).toBe(503)
    }
    finally {
      redis.resume()
    }
    await until('the store', async () => (await grace.get(GUARDED)).status === 404)
    expect((await ada.signIn(PASSWORD)).status).toBe(200)
  })
})
