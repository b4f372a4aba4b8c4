import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { areas, ConfigError, readConfig } from '../../server/config'
import type { Variable } from '../../server/variable'
import { AGENT_CONFIG, AGENT_ENV } from '../fixtures/config/agent'
import { OPS_CONFIG, OPS_ENV } from '../fixtures/config/ops'
import { TOOLS_CONFIG, TOOLS_ENV } from '../fixtures/config/tools'
import { PLATFORM_ENVS, PLATFORMS_CONFIG, PLATFORMS_ENV } from '../fixtures/config/platforms'

type Env = Record<string, string | undefined>

const PRODUCTION: Env & Record<'CHAT_BOT_TOKEN', string> = {
  NODE_ENV: 'production',
  CHAT_BOT_TOKEN: 'xoxb-1', CHAT_SIGNING_SECRET: 'signing-secret', CHAT_CHANNEL_ID: 'C0123456789',
  STORE_URL: 'redis://localhost:6379',
  MAIL_API_KEY: 're_1', MAIL_FROM_ADDRESS: 'forms@example.com', FORWARD_EMAIL: 'team@example.com',
}

const variables: Record<string, Variable> = Object.assign({}, ...Object.values(areas))
const aliases = Object.entries(variables).flatMap(([name, { alias }]): [string, string][] => alias ? [[name, alias]] : [])

/** A valid value for every variable. */
const VALID = {
  ...PRODUCTION as Record<keyof typeof PRODUCTION, string>,
  PLATFORM2_BOT_TOKEN: 'discord-bot-token-of-some-length', PLATFORM2_PUBLIC_KEY: 'ab'.repeat(32), PLATFORM2_APPLICATION_ID: '123456789012345678',
  DISCORD_CHANNEL_ID: '223456789012345678', DISCORD_GUILD_ID: '323456789012345678', DISCORD_API_URL: 'http://127.0.0.1:4001/api/v10/',
  MAIL_FROM_NAME: 'Forms', FORWARD_ENDPOINT: 'https://crm.example.com/in', FORWARD_SIGNING_SECRET: `whsec_${'a'.repeat(32)}`,
  NUXT_PUBLIC_SITE_URL: 'https://forms.example.com/', SLACK_API_URL: 'https://slack-gov.com/api', RESEND_BASE_URL: 'http://127.0.0.1:4000',
  CRON_SECRET: 'c'.repeat(32), SANDBOX: '0', HOST: '0.0.0.0', VERCEL: '1', VERCEL_PROJECT_PRODUCTION_URL: 'forms.vercel.app', DATA_DIR: '/var/forms', MAX_BODY_BYTES: '1000', BODY_MEMORY_BYTES: '1000000', BODY_TIMEOUT_MS: '5000',
  RETRY_BASE_MS: '100', LEASE_MS: '1500', SWEEP_INTERVAL_MS: '50', CARD_INTERVAL_MS: '0',
  FORM_RATE_LIMIT: '0', TRUST_PROXY: '2', FORM_HONEYPOT: 'website', HELD_MAX: '0', FORM_ALLOWED_ORIGINS: 'https://Example.com/, http://localhost:5173', FORM_API_KEY: 'k'.repeat(32),
  TURNSTILE_SECRET_KEY: '0x4AAA', TURNSTILE_VERIFY_URL: 'http://127.0.0.1:4001/siteverify',
  FORMS_CONFIG: resolve(import.meta.dirname, '../fixtures/config/forms.json'),
  ...OPS_ENV, ...AGENT_ENV, ...PLATFORMS_ENV, ...TOOLS_ENV,
}

function problemsOf(env: Env): readonly string[] {
  try {
    readConfig(env)
    return []
  }
  catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('every variable', () => {
  test('reaches the configuration under its canonical name', () => {
    expect(Object.keys(VALID).sort()).toEqual(Object.keys(variables).sort())
    expect(readConfig(VALID)).toEqual({
      production: true, host: '0.0.0.0', siteUrl: 'https://forms.example.com', maxBodyBytes: 1000, bodies: { memory: 1_000_000, timeoutMs: 5000 },
      form: {
        rateLimit: 0, trustedProxies: 2, honeypot: 'website', heldMax: 0, allowedOrigins: ['https://example.com', 'http://localhost:5173'], apiKey: VALID.FORM_API_KEY,
        turnstile: { secretKey: '0x4AAA', verifyUrl: 'http://127.0.0.1:4001/siteverify' },
      },
      storeUrl: 'redis://localhost:6379', dataDir: '/var/forms',
      mail: { apiKey: 're_1', baseUrl: 'http://127.0.0.1:4000', fromAddress: 'forms@example.com', fromName: 'Forms', to: 'team@example.com' },
      endpoint: { url: 'https://crm.example.com/in', signingSecret: VALID.FORWARD_SIGNING_SECRET },
      cronSecret: VALID.CRON_SECRET, serverless: true, retry: { baseMs: 100, leaseMs: 1500, sweepIntervalMs: 50 }, cardIntervalMs: 0,
      forms: {
        contact: { name: 'Contact', channels: { discord: '423456789012345678' }, to: ['sales@example.com'], endpoint: null, allowedOrigins: ['https://www.example.com'], fields: { name: 'Your name' } },
        jobs: { name: 'Jobs', to: ['hr@example.com', 'team@example.com'] },
      },
      ops: OPS_CONFIG, agent: AGENT_CONFIG, platforms: {
        slack: {
          botToken: 'xoxb-1', signingSecret: 'signing-secret', channelId: 'C0123456789', apiUrl: 'https://slack-gov.com/api/', channels: [],
          ...PLATFORMS_CONFIG.slack,
        },
        discord: {
          botToken: VALID.PLATFORM2_BOT_TOKEN, publicKey: VALID.PLATFORM2_PUBLIC_KEY, applicationId: VALID.PLATFORM2_APPLICATION_ID,
          channelId: VALID.DISCORD_CHANNEL_ID, guildId: VALID.DISCORD_GUILD_ID, apiUrl: 'http://127.0.0.1:4001/api/v10',
        },
        ...PLATFORMS_CONFIG.others,
      }, tools: TOOLS_CONFIG,
    })
  })

  test.each(aliases)('%s may be set as %s, or as both when they are equal', (name, alias) => {
    const { [name]: value, ...rest } = VALID as Env
    const expected = readConfig(VALID)
    expect(readConfig({ ...rest, [alias]: value })).toEqual(expected)
    expect(readConfig({ ...VALID, [alias]: value })).toEqual(expected)
    expect(readConfig({ ...rest, [name]: '', [alias]: value })).toEqual(expected)
  })

  test('of Discord alone is enough in production: Slack is not asked for', () => {
    const { CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET, CHAT_CHANNEL_ID, SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_ENCRYPTION_KEY, ...others } = VALID as Env
    expect(Object.keys(readConfig(others).platforms)).toEqual(['discord', 'teams', 'gchat', 'telegram', 'whatsapp'])
  })

  test.each(Object.entries(PLATFORM_ENVS))('of %s alone is enough in production', (key, own) => {
    const { CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET, CHAT_CHANNEL_ID, ...mailAndStore } = PRODUCTION
    const { platforms } = readConfig({ ...mailAndStore, ...own, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' })
    expect(Object.keys(platforms)).toEqual([key])
  })

  test('of a group with one malformed is still asked for in full', () => {
    expect(problemsOf({ NODE_ENV: 'development', SANDBOX: '1', PLATFORM2_PUBLIC_KEY: 'nothex' }).map(problem => problem.split(' ')[0])).toEqual(['PLATFORM2_PUBLIC_KEY', 'PLATFORM2_BOT_TOKEN', 'PLATFORM2_APPLICATION_ID', 'DISCORD_CHANNEL_ID'])
  })

  test.each(aliases)('%s and %s with different values are an error that names both', (name, alias) => {
    expect(problemsOf({ ...VALID, [alias]: `${VALID[name as keyof typeof VALID]}x` })).toEqual([
      expect.stringMatching(new RegExp(`^${name} and its alias ${alias} `)),
    ])
  })
})

describe('production', () => {
  test('with nothing set lists every missing variable at once, what each is for and where to get it', () => {
    const required = ['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID', 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL', 'STORE_URL'] as const
    const problems = problemsOf({})
    expect(problems.map(problem => problem.split(' ')[0])).toEqual(required)
    for (const [index, name] of required.entries()) {
      const variable = variables[name]!
      expect(problems[index]).toContain(`${name} is missing`)
      expect(problems[index]).toContain(variable.about)
      expect(problems[index]).toContain(variable.where ?? '')
    }
    expect(() => readConfig({})).toThrow(ConfigError)
    expect(() => readConfig({})).toThrow(/7 problems:[\s\S]*CHAT_BOT_TOKEN[\s\S]*STORE_URL[\s\S]*\.env\.example/)
  })

  test.each([undefined, 'production', 'staging', 'Development'])('is every environment but development and test, such as NODE_ENV=%s', (NODE_ENV) => {
    expect(readConfig({ ...PRODUCTION, NODE_ENV }).production).toBe(true)
    expect(problemsOf({ NODE_ENV })).toHaveLength(7)
  })

  test('needs no more than the seven, and has no sandbox', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({
      production: true, serverless: false, siteUrl: null, maxBodyBytes: 262_144, bodies: { memory: 67_108_864, timeoutMs: 30_000 }, dataDir: '.data',
      form: { rateLimit: 60, trustedProxies: 0, honeypot: '_gotcha', heldMax: 1000, allowedOrigins: undefined, apiKey: undefined, turnstile: undefined }, mail: { fromName: 'Formbot' }, retry: { baseMs: 5000, leaseMs: 30_000, sweepIntervalMs: 2000 },
    })
    const { endpoint, cronSecret, host, platforms } = readConfig(PRODUCTION)
    expect([endpoint, cronSecret, host]).toEqual([{ url: undefined, signingSecret: undefined }, undefined, undefined])
    expect(Object.keys(platforms)).toEqual(['slack'])
  })

  test.each(['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID', 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL', 'STORE_URL'])('without %s names just that', (name) => {
    for (const nothing of [undefined, '', '  ']) {
      expect(problemsOf({ ...PRODUCTION, [name]: nothing })).toEqual([expect.stringMatching(new RegExp(`^${name} is missing`))])
    }
  })
})

describe('malformed values', () => {
  const SECRET = 'hunter2!'

  test.each([
    ['CHAT_BOT_TOKEN', SECRET], ['CHAT_SIGNING_SECRET', 'hunter2'], ['CHAT_CHANNEL_ID', '#general-hunter2!'], ['STORE_URL', `http://:${SECRET}@localhost`], ['STORE_URL', `${SECRET} 6379`],
    ['MAIL_FROM_ADDRESS', SECRET], ['FORWARD_EMAIL', SECRET], ['FORWARD_ENDPOINT', `ftp://${SECRET}`], ['FORWARD_ENDPOINT', SECRET], ['FORWARD_ENDPOINT', `https://user:${SECRET}@example.com/in`], ['FORWARD_SIGNING_SECRET', SECRET], ['NUXT_PUBLIC_SITE_URL', SECRET],
    ['SLACK_API_URL', SECRET], ['RESEND_BASE_URL', SECRET], ['CRON_SECRET', SECRET], ['SANDBOX', SECRET], ['VERCEL', SECRET], ['MAX_BODY_BYTES', SECRET], ['MAX_BODY_BYTES', '-1'],
    ['RETRY_BASE_MS', '1.5'], ['CARD_INTERVAL_MS', '-1'], ['LEASE_MS', '0'], ['SWEEP_INTERVAL_MS', SECRET],
    ['FORM_RATE_LIMIT', '-1'], ['TRUST_PROXY', 'true'], ['FORM_API_KEY', 'too-short'], ['FORM_API_KEY', `${SECRET} with spaces`], ['TURNSTILE_VERIFY_URL', SECRET],
    ['FORM_ALLOWED_ORIGINS', ','], ['FORM_ALLOWED_ORIGINS', 'example.com'], ['FORM_ALLOWED_ORIGINS', '*'], ['FORM_ALLOWED_ORIGINS', 'null'], ['FORM_ALLOWED_ORIGINS', `https://example.com,https://${SECRET}@example.com`],
    ['FORM_ALLOWED_ORIGINS', 'https://example.com/contact'], ['FORM_ALLOWED_ORIGINS', 'https://example.com https://www.example.com'],
    ['TEAMS_APP_ID', SECRET], ['TEAMS_APP_TENANT_ID', SECRET], ['TEAMS_CHANNEL_ID', `19:${SECRET};messageid=1`], ['GOOGLE_CHAT_CREDENTIALS', SECRET], ['GOOGLE_CHAT_CREDENTIALS', `{"private_key":"${SECRET}"}`],
    ['GOOGLE_CHAT_PROJECT_NUMBER', SECRET], ['GOOGLE_CHAT_SPACE', SECRET], ['TELEGRAM_BOT_TOKEN', SECRET], ['TELEGRAM_WEBHOOK_SECRET_TOKEN', SECRET], ['TELEGRAM_CHAT_ID', SECRET], ['WHATSAPP_ACCESS_TOKEN', `${SECRET} with spaces`], ['WHATSAPP_APP_SECRET', SECRET], ['WHATSAPP_VERIFY_TOKEN', SECRET], ['WHATSAPP_PHONE_NUMBER_ID', SECRET], ['WHATSAPP_CHAT_ID', SECRET],
  ])('%s is named with what is wrong, without the value', (name, value) => {
    const problems = problemsOf({ ...VALID, [name]: value })
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} is malformed: it `))])
    expect(problems[0]).not.toContain('hunter2')
  })

  test('set by their alias are named with it', () => {
    const { CHAT_BOT_TOKEN, ...rest } = PRODUCTION
    expect(problemsOf({ ...rest, SLACK_BOT_TOKEN: CHAT_BOT_TOKEN!.slice(1) })).toEqual([expect.stringContaining('CHAT_BOT_TOKEN (set as SLACK_BOT_TOKEN) is malformed: it does not start with xoxb-')])
  })

  test('are reported together with what is missing', () => {
    expect(problemsOf({ ...PRODUCTION, FORWARD_EMAIL: 'x', LEASE_MS: 'y', STORE_URL: undefined })).toHaveLength(3)
  })
})

describe('development', () => {
  test('works with nothing set: sandbox, embedded store, caught emails', () => {
    expect(readConfig({ NODE_ENV: 'development' })).toMatchObject({ production: false, platforms: { sandbox: {} }, storeUrl: undefined, mail: { apiKey: undefined } })
    expect(readConfig({ NODE_ENV: 'test' })).toMatchObject({ production: false, platforms: { sandbox: {} } })
  })

  test('has no sandbox once Slack is configured, unless it is asked for', () => {
    const env: Env = { ...PRODUCTION, NODE_ENV: 'development', STORE_URL: undefined }
    expect(readConfig(env)).toMatchObject({ platforms: { slack: { channelId: 'C0123456789' } }, storeUrl: undefined })
    expect(Object.keys(readConfig(env).platforms)).toEqual(['slack'])
    expect(readConfig({ ...env, SANDBOX: '1' })).toMatchObject({ platforms: { sandbox: {}, slack: { channelId: 'C0123456789' } } })
  })

  test('without the sandbox needs a chat platform and email', () => {
    expect(problemsOf({ NODE_ENV: 'development', SANDBOX: 'false' })).toHaveLength(6)
  })

  test.each(['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID'])('with only %s set names the other two Slack variables', (name) => {
    const problems = problemsOf({ NODE_ENV: 'development', SANDBOX: '1', [name]: PRODUCTION[name] })
    expect(problems).toHaveLength(2)
    expect(problems.every(problem => problem.includes('is missing, but other Slack variables are set'))).toBe(true)
  })
})

test('a Resend key needs a sender and a recipient', () => {
  expect(problemsOf({ NODE_ENV: 'development', MAIL_API_KEY: 're_1' }).map(problem => problem.split(' ')[0])).toEqual(['MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'])
})

test('a signing secret needs an endpoint', () => {
  expect(problemsOf({ ...VALID, FORWARD_ENDPOINT: undefined })).toEqual([expect.stringContaining('FORWARD_ENDPOINT is missing, but FORWARD_SIGNING_SECRET is set')])
})

test('on Vercel its own proxy is trusted, unless TRUST_PROXY says otherwise', () => {
  expect(readConfig({ ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET }).form.trustedProxies).toBe(1)
  expect(readConfig({ ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET, TRUST_PROXY: '0' }).form.trustedProxies).toBe(0)
})

test('on Vercel the domain of the project is the site, unless NUXT_PUBLIC_SITE_URL says otherwise', () => {
  const onVercel = { ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET, VERCEL_PROJECT_PRODUCTION_URL: 'forms.vercel.app' }
  expect(readConfig(onVercel).siteUrl).toBe('https://forms.vercel.app')
  expect(readConfig({ ...onVercel, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' }).siteUrl).toBe('https://forms.example.com')
})

test('a Turnstile verifier needs the secret', () => {
  expect(problemsOf({ ...VALID, TURNSTILE_SECRET_KEY: undefined })).toEqual([expect.stringContaining('TURNSTILE_SECRET_KEY is missing, but TURNSTILE_VERIFY_URL is set')])
})

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8').split('\n')
  const named = lines.flatMap(line => /^(?:# )?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? [])

  test('names exactly the variables that are read, each once', () => {
    const setByTheHost = ['NODE_ENV', 'VERCEL', 'VERCEL_PROJECT_PRODUCTION_URL']
    expect(named.toSorted()).toEqual(Object.keys(variables).filter(name => !setByTheHost.includes(name)).sort())
  })

  test('names the alias of each in the comment above it', () => {
    for (const [name, alias] of aliases) {
      const at = lines.findIndex(line => line.replace('# ', '').startsWith(`${name}=`))
      expect(lines[at - 1]).toBe(`# Alias: ${alias}`)
    }
    expect(lines.filter(line => line.startsWith('# Alias: '))).toHaveLength(aliases.length)
  })

  test('leaves open exactly what production needs, and its defaults are the real ones', () => {
    const open = lines.flatMap(line => /^([A-Z0-9_]+)=$/.exec(line)?.[1] ?? [])
    expect(open.toSorted()).toEqual(problemsOf({}).map(problem => problem.split(' ')[0]!).sort())
    const shown = Object.fromEntries(lines.flatMap((line): [string, string][] => {
      const [, name, value] = /^# (DATA_DIR|MAIL_FROM_NAME|MAX_BODY_BYTES|BODY_MEMORY_BYTES|BODY_TIMEOUT_MS|FORM_RATE_LIMIT|TRUST_PROXY|FORM_HONEYPOT|HELD_MAX|RETRY_BASE_MS|LEASE_MS|SWEEP_INTERVAL_MS)=(.+)$/.exec(line) ?? []
      return name && value ? [[name, value]] : []
    }))
    expect(Object.keys(shown)).toHaveLength(12)
    expect(readConfig({ ...PRODUCTION, ...shown })).toEqual(readConfig(PRODUCTION))
  })
})
