import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slackManifest } from '../../server/platforms/slack/manifest'
import { startServer, type Server } from '../support/server'

let dir: string
let server: Server
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'triage-'))
  server = await startServer({
    NODE_ENV: 'development', DATA_DIR: dir, NUXT_PUBLIC_SITE_URL: 'https://abc.example.net/',
  })
})
afterAll(async () => {
  await server.kill()
  await rm(dir, { recursive: true, force: true })
})

describe('GET /api/slack/manifest', () => {
  it('is the manifest with the URLs of this deployment, for everybody', async () => {
    const response = await fetch(`${server.url}/api/slack/manifest`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    const manifest = await response.json() as { settings: { interactivity: unknown } }
    expect(manifest).toEqual(slackManifest('https://abc.example.net'))
    expect(manifest.settings.interactivity).toEqual({
      is_enabled: true, request_url: 'https://abc.example.net/api/webhooks/slack',
    })
  })

  it('asks for files:read with ?files', async () => {
    expect(await (await fetch(`${server.url}/api/slack/manifest?files`)).json()).toEqual(
      slackManifest('https://abc.example.net', { files: true }),
    )
  })
})
