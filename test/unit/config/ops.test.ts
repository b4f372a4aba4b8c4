import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { problemsOf as problemsIn, type Env } from '../../fixtures/config/env'
import { OPS_ENV } from '../../fixtures/config/ops'

const { NUXT_SESSION_PASSWORD, ...WAYS } = OPS_ENV

/** Problems of a valid configuration after adding these variables */
const problemsOf = (env: Env) => problemsIn({ NODE_ENV: 'development', ...env })

test('the sandbox in production needs a way to sign in', () => {
  const production = { NODE_ENV: 'production', SANDBOX: '1', STORE_URL: 'redis://localhost:6379' }
  expect(problemsOf(production)).toEqual([expect.stringMatching(/^SANDBOX is on in production, .*OPS_PASSWORD/)])
  expect(problemsOf({ ...production, OPS_PASSWORD: WAYS.OPS_PASSWORD, NUXT_SESSION_PASSWORD })).toEqual([])
  expect(problemsOf({ SANDBOX: '1' })).toEqual([])
})

test('no way to sign in needs nothing', () => {
  expect(readConfig({ NODE_ENV: 'development' }).ops).toEqual({
    canSignIn: false, waysIn: expect.any(String), password: undefined, platforms: {}, sessionPassword: undefined,
  })
})

test.each([
  [{ OPS_PASSWORD: WAYS.OPS_PASSWORD }],
  [{
    OPS_SLACK_TEAM_ID: WAYS.OPS_SLACK_TEAM_ID, OPS_SLACK_CLIENT_ID: WAYS.OPS_SLACK_CLIENT_ID,
    OPS_SLACK_CLIENT_SECRET: WAYS.OPS_SLACK_CLIENT_SECRET,
  }],
  [{
    OPS_DISCORD_GUILD_ID: WAYS.OPS_DISCORD_GUILD_ID, OPS_DISCORD_CLIENT_ID: WAYS.OPS_DISCORD_CLIENT_ID,
    OPS_DISCORD_CLIENT_SECRET: WAYS.OPS_DISCORD_CLIENT_SECRET,
  }],
])('%o needs a session password, and nothing else', (way) => {
  expect(problemsOf(way as Record<string, string>)).toEqual([
    expect.stringMatching(/^NUXT_SESSION_PASSWORD is missing, .*openssl rand/),
  ])
  expect(problemsOf({ ...way as Record<string, string>, NUXT_SESSION_PASSWORD })).toEqual([])
})

test.each([
  'OPS_SLACK_TEAM_ID', 'OPS_SLACK_CLIENT_ID', 'OPS_SLACK_CLIENT_SECRET', 'OPS_DISCORD_GUILD_ID',
  'OPS_DISCORD_CLIENT_ID', 'OPS_DISCORD_CLIENT_SECRET',
] as const)('%s alone names the other two of its group', (name) => {
  const group = Object.keys(WAYS).filter(other => other !== name && other.startsWith(name.slice(0, 8)))
  expect(group).toHaveLength(2)
  expect(problemsOf({ [name]: WAYS[name], NUXT_SESSION_PASSWORD }).map(problem => problem.split(' ')[0])).toEqual(group)
})
