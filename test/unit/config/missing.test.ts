import { expect, test } from 'vitest'
import { areas, checkNames, readConfig } from '../../../server/config'
import { missingSettings } from '../../../server/config/missing'
import { PRODUCTION } from '../../fixtures/config/env'
import { OPS_ENV } from '../../fixtures/config/ops'

const ENV = { ...PRODUCTION, ...OPS_ENV, OPS_DISCORD_CLIENT_ID: undefined, OPS_DISCORD_CLIENT_SECRET: undefined,
  OPS_DISCORD_GUILD_ID: undefined, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' }

const missing = (env: Record<string, string | undefined>) => missingSettings(readConfig({ ...ENV, ...env }))

test('people of a platform that is set up neither for cards nor to sign in are named as who can do nothing', () => {
  const reviewers = { REVIEWERS: 'slack:U0123456789,ops:ada,discord:123456789012345678,telegram:123' }
  expect(missing(reviewers)).toEqual([
    expect.stringMatching(/^People of Discord are listed .*REVIEWERS.* Discord is not set up/),
    expect.stringMatching(/^People of Telegram are listed /),
  ])
  expect(missing({ ...reviewers, ...OPS_ENV })).toEqual([expect.stringMatching(/^People of Telegram /)])
  expect(missing({ OPS_VIEWERS: 'discord:role:123456789012345678' })).toHaveLength(1)
  expect(missing({ REVIEWERS: 'slack:U0123456789,ops:ada' })).toEqual([])
})

test('a variable that nothing reads and that is nearly called like one of ours is named with it, never its value', () => {
  for (const [typed, expectedName] of [
    ['REVIEWER', 'REVIEWERS'], ['FORM_ALLOWED_ORIGIN', 'FORM_ALLOWED_ORIGINS'], ['FORWARD_EMIAL', 'FORWARD_EMAIL'],
    ['CHAT_BOT_TOKE', 'CHAT_BOT_TOKEN'], ['SLACK_BOT_TOKNE', 'SLACK_BOT_TOKEN'],
  ]) expect(checkNames({ [typed!]: 'x' })).toEqual([`${typed} is set but unknown. Did you mean ${expectedName}?`])
})

test('what is read, empty, set beside the right one, or of another program is not taken for an error', () => {
  const names = Object.values(areas).flatMap(variables => Object.entries(variables).flatMap(
    ([name, { alias }]) => alias ? [name, alias] : [name],
  ))
  for (const name of names) expect(checkNames({ [name]: 'x' })).toEqual([])
  expect(checkNames({ REVIEWER: ' ', FORWARD_EMAILS: 'x', FORWARD_EMAIL: 'y' })).toEqual([])
  for (const name of [
    'HOME', 'HOSTNAME', 'PATH', 'NODE_OPTIONS', 'VERCEL_URL', 'VERCEL_ENV', 'AWS_REGION', 'REDIS_HOST',
    'SLACK_APP_TOKEN', 'DISCORD_MENTION_ROLE_IDS', 'NUXT_APP_BASE_URL', 'KUBERNETES_PORT', 'npm_config_cache',
  ]) expect(checkNames({ [name]: 'x' })).toEqual([])
})

test('where the right name is required, the refusal to start names the wrong one, too', () => {
  expect(() => readConfig({ ...ENV, FORWARD_EMAIL: undefined, FORWARD_EMIAL: 'team@example.com' })).toThrow(
    /FORWARD_EMAIL is missing[\s\S]*FORWARD_EMIAL is set but unknown\. Did you mean FORWARD_EMAIL\?/,
  )
})
