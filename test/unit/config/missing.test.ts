import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { missingSettings } from '../../../server/config/missing'
import { PRODUCTION } from '../../fixtures/config/env'
import { OPS_ENV } from '../../fixtures/config/ops'

const ENV = { ...PRODUCTION, ...OPS_ENV, OPS_DISCORD_CLIENT_ID: undefined, OPS_DISCORD_CLIENT_SECRET: undefined,
  OPS_DISCORD_GUILD_ID: undefined, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' }

const missing = (env: Record<string, string | undefined>) => missingSettings(readConfig({ ...ENV, ...env }))

test('people of a platform that is set up neither for cards nor to sign in are named as who can do nothing', () => {
  const listed = { REVIEWERS: 'slack:U0123456789,ops:ada,discord:123456789012345678,telegram:123' }
  expect(missing(listed)).toEqual([
    expect.stringMatching(/^People of Discord are listed .*REVIEWERS.* Discord is not set up/),
    expect.stringMatching(/^People of Telegram are listed /),
  ])
  expect(missing({ ...listed, ...OPS_ENV })).toEqual([expect.stringMatching(/^People of Telegram /)])
  expect(missing({ OPS_VIEWERS: 'discord:role:123456789012345678' })).toHaveLength(1)
  expect(missing({ REVIEWERS: 'slack:U0123456789,ops:ada' })).toEqual([])
})
