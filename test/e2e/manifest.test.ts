import { describe, expect, it } from 'vitest'
import { slackManifest } from '../../server/platforms/slack/manifest'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { startServer } from '../support/server'

const server = endAfterAll(await startServer({
  NODE_ENV: 'development', DATA_DIR: sharedFolder(), NUXT_PUBLIC_SITE_URL: 'https://abc.example.net/',
}))

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
