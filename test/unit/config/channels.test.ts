import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { outside } from '../../../server/platforms/registry'
import { problemsOf, PRODUCTION, VALID, type Env } from '../../fixtures/config/env'

test.each(outside)('$label without its channel has no cards, as long as another platform has', ({ key, channel }) => {
  const otherVariables: Env = key === 'slack' ? { ...VALID } : { ...VALID, ...PRODUCTION }
  const env = { ...otherVariables, [channel.variable!]: undefined, [channel.instead ?? '']: undefined }
  expect(Object.keys(readConfig(env).platforms)).toContain(key)
})

test('platforms without any channel stop the start with one line that names the channels of what is set up', () => {
  const { CHAT_CHANNEL_ID, ...env } = PRODUCTION
  expect(problemsOf({
    ...env, PLATFORM2_BOT_TOKEN: 'x', PLATFORM2_PUBLIC_KEY: 'x', PLATFORM2_APPLICATION_ID: 'x',
  })).toEqual([
    expect.stringMatching(/^CHAT_CHANNEL_ID is missing, and without it or DISCORD_CHANNEL_ID no platform has cards\./),
  ])
  expect(problemsOf({ ...env, TEAMS_APP_ID: 'x', TEAMS_APP_PASSWORD: 'x' })).toEqual([
    expect.stringMatching(/^CHAT_CHANNEL_ID .* without it or TEAMS_CHANNEL_ID or TEAMS_APP_TENANT_ID no platform/),
  ])
})
