import { afterEach, describe, expect, it } from 'vitest'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer, type Server } from '../support/server'
import { PASSWORD, QUIET_PRODUCTION, visit, WITH_PASSWORD } from '../support/visitor'

const GUARDED = '/api/submissions/0b1f2c3d'

let server: Server
const redis = endAfterAll(await startRedis())
const dir = sharedFolder()
afterEach(() => server.kill())

describe('in production without a way to sign in', () => {
  it('pages and their API are 403 with a line that names what to set, and nobody signs in', async () => {
    server = await startServer({ ...QUIET_PRODUCTION, STORE_URL: redis.url })
    for (const path of ['/', '/sign-in', '/status', '/submissions/x', '/sandbox', GUARDED]) {
      const answer = await fetch(server.url + path)
      expect(answer.status).toBe(403)
      const said = await answer.text()
      for (const name of [
        'OPS_PASSWORD', 'OPS_SLACK_TEAM_ID', 'OPS_DISCORD_GUILD_ID', 'NUXT_SESSION_PASSWORD',
      ]) expect(said).toContain(name)
    }
    const ada = visit(server)
    const answer = await ada.signIn('')
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 403, body: { code: 'PASSWORD_OFF' },
    })
    expect((await ada.get('/api/auth/slack')).status).toBe(404)
    expect((await ada.get('/api/auth/slack/callback?code=x&state=x')).status).toBe(404)
    expect(await (await ada.get('/api/auth/session')).json()).toEqual({
      viewer: null, closed: expect.stringContaining('OPS_PASSWORD'), refused: null, password: false, platforms: [],
      takes: false,
    })
  })
})

describe('outside production', () => {
  it('without a way to sign in is open to this machine only, and not through a tunnel', async () => {
    server = await startServer({ NODE_ENV: 'development', DATA_DIR: dir })
    const status = async (headers: Record<string, string>) => (await fetch(server.url + GUARDED, { headers })).status
    expect(await status({})).toBe(404)
    expect(await status({ 'x-forwarded-for': '127.0.0.1, ::1' })).toBe(404)
    expect(await (await fetch(`${server.url}/api/auth/session`)).json()).toMatchObject({
      viewer: { name: 'Local', platform: 'Ops page' }, closed: null,
    })
    for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, {
      'x-forwarded-for': '127.0.0.1, 203.0.113.9',
    }, { origin: 'https://evil.example' }] as Record<string, string>[]) expect(await status(headers)).toBe(403)
    expect((await fetch(`${server.url}/`)).status).toBe(200)
  })

  it('asks for the password where one is set, by a cookie that plain http carries; for the sandbox too', async () => {
    server = await startServer({ NODE_ENV: 'development', DATA_DIR: dir, ...WITH_PASSWORD })
    const ada = visit(server)
    for (const path of [GUARDED, '/api/sandbox/state']) expect(
      (await ada.get(path, { 'x-forwarded-for': '' })).status,
    ).toBe(401)
    const [cookie] = (await ada.signIn(PASSWORD)).headers.getSetCookie()
    expect(cookie).toContain('HttpOnly')
    expect(cookie).not.toContain('Secure')
    expect((await ada.get(GUARDED)).status).toBe(404)
    expect((await ada.get('/api/sandbox/state')).status).toBe(200)
  })
})
