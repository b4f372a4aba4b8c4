import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { problemsOf } from '../../fixtures/config/env'

const agentOf = (env: Record<string, string>) => readConfig({ NODE_ENV: 'development', ...env }).agent

describe('the model', () => {
  test.each<[string, Record<string, string>, unknown]>([
    ['is none without credentials', {}, null],
    ['is the gateway\'s by its key', { AI_GATEWAY_API_KEY: 'k' }, {
      kind: 'gateway', apiKey: 'k', name: 'anthropic/claude-sonnet-4.5',
    }],
    ['is the gateway\'s by an identity token', { VERCEL_OIDC_TOKEN: 't', AI_MODEL: 'openai/gpt-5' }, {
      kind: 'gateway', apiKey: undefined, name: 'openai/gpt-5',
    }],
    [
      'is the gateway\'s on Vercel, where the token comes with the request',
      { VERCEL: '1', CRON_SECRET: 'x'.repeat(16), AI_MODEL: 'openai/gpt-5' },
      { kind: 'gateway', apiKey: undefined, name: 'openai/gpt-5' },
    ],
    ['is of any compatible server', { AI_BASE_URL: 'http://localhost:1/v1/', AI_MODEL: 'm' }, {
      kind: 'compatible', baseUrl: 'http://localhost:1/v1', apiKey: undefined, name: 'm',
    }],
  ])('%s', (_, env, model) => expect(agentOf(env).model).toEqual(model))

  test.each<[Record<string, string>, string]>([
    [{ AI_MODEL: 'm' }, 'AI_GATEWAY_API_KEY is missing (or AI_BASE_URL), but AI_MODEL is set'],
    [{ AI_BASE_URL: 'http://localhost:1' }, 'AI_MODEL is missing, but AI_BASE_URL is set'],
    [{ AI_API_KEY: 'k' }, 'AI_BASE_URL is missing, but AI_API_KEY is set'],
    [{ AGENT_APPROVALS: 'yes' }, 'AGENT_APPROVALS is malformed: must be ask or deny'],
    [
      { APPROVAL_TTL: '1 day' },
      'APPROVAL_TTL is malformed: must be a number of seconds or a duration such as 24h',
    ],
    [
      { APPROVERS: 'slack:U0123456789,U0123456789' },
      'APPROVERS is malformed: each entry names platform and user: slack:U0123456789 (slack:T0123456789:U0123456789 in a workspace that installed the app), discord:123456789012345678',
    ],
    [{ APPROVERS: '123456789012345678' }, 'APPROVERS is malformed'],
    [{ APPROVAL_TTL: '0' }, 'APPROVAL_TTL is malformed'],
  ])('%o says what to change', (env, problem) => {
    expect(problemsOf({ NODE_ENV: 'development', ...env })).toEqual([expect.stringContaining(problem)])
  })
})

test.each([
  ['90', 90_000], ['90s', 90_000], ['30m', 1_800_000], ['24h', 86_400_000], ['2d', 172_800_000],
])('APPROVAL_TTL %s is %i ms', (value, ms) => expect(agentOf({ APPROVAL_TTL: value }).approvals.ttlMs).toBe(ms))
