import { describe, expect, test } from 'vitest'
import { checkValues, ConfigError, readConfig } from '../../server/config'
import { AGENT_CONFIG } from '../fixtures/config/agent'
import { aliases, problemsOf, PRODUCTION, PROXY, VALID, variables, type Env } from '../fixtures/config/env'
import { OPS_CONFIG } from '../fixtures/config/ops'
import { TOOLS_CONFIG } from '../fixtures/config/tools'
import { PLATFORM_ENVS, PLATFORMS_CONFIG } from '../fixtures/config/platforms'

test.each(['fr', 'DE', 'constructor', ' '])('LOCALE=%s is no language of cards and emails', (LOCALE) => {
  expect(problemsOf({ ...PRODUCTION, LOCALE })).toEqual(LOCALE.trim()
    ? [expect.stringMatching(/^LOCALE is malformed: must be one of .*\bde, en\b/)]
    : [])
})

describe('every variable', () => {
  test('reaches the configuration under its canonical name', () => {
    expect(Object.keys(VALID).sort()).toEqual(Object.keys(variables).sort())
    expect(readConfig(VALID)).toEqual({
      production: true, host: '0.0.0.0', siteUrl: 'https://forms.example.com', locale: 'de', maxBodyBytes: 1000,
      proxy: { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: '.internal' },
      bodies: { memory: 1_000_000, timeoutMs: 5000 },
      form: {
        rateLimit: 0, rateLimitMb: 7, trustedProxies: 2, honeypot: 'website', heldMax: 0,
        allowedOrigins: ['https://example.com', 'http://localhost:5173'], apiKey: VALID.FORM_API_KEY,
        turnstile: { secretKey: '0x4AAA', siteKey: '0x4BBB', verifyUrl: 'http://127.0.0.1:4001/siteverify' },
      },
      storeUrl: 'redis://localhost:6379', dataDir: '/var/forms',
      files: { rateLimitMb: 0, secret: VALID.NUXT_SESSION_PASSWORD, storage: TOOLS_CONFIG.files.storage },
      mail: {
        smtp: {
          host: '::1', port: 2525, secure: false, user: 'me@example.com', password: 'p/w', requireTls: true,
          ca: VALID.SMTP_CA,
        },
        fallback: true, carrier: 'SMTP server',
        apiKey: 're_1', baseUrl: 'http://127.0.0.1:4000', fromAddress: 'forms@example.com', fromName: 'Forms',
        to: ['team@example.com'], receipts: { secret: VALID.MAIL_WEBHOOK_SECRET, waitMs: 1_800_000 },
      },
      endpoint: { url: 'https://crm.example.com/in', signingSecrets: [VALID.FORWARD_SIGNING_SECRET], tellsErasures: true },
      cronSecret: VALID.CRON_SECRET, serverless: true, revocableMs: { forward: 10_000, spam: 86_400_000 },
      cardDataMs: 30 * 86_400_000,
      retry: { baseMs: 100, leaseMs: 1500, retryForMs: 2 * 86_400_000, sweepIntervalMs: 50 }, cardIntervalMs: 0,
      forms: {
        contact: {
          name: 'Contact', channels: { discord: '423456789012345678' }, to: ['sales@example.com'], endpoint: null,
          allowedOrigins: ['https://www.example.com'], fields: { name: { label: 'Your name' } },
        },
        jobs: { name: 'Jobs', to: ['hr@example.com', 'team@example.com'] },
      },
      people: {
        reviewers: ['slack:U0123456789', 'slack:S0123456789', 'discord:role:123456789012345678', 'ops:ada'],
        viewers: ['ops:grace'],
        aliases: { ada: ['slack:U0123456789', 'ops:ada'], grace: ['discord:123456789012345678'] },
        claimMs: 30 * 60_000,
      },
      alerts: {
        room: 'discord/223456789012345678', to: ['ops@example.com'], webhook: 'https://alerts.example.com/in',
        afterMs: 90_000,
      },
      ops: OPS_CONFIG, agent: AGENT_CONFIG, platforms: {
        slack: {
          botToken: 'xoxb-1', signingSecret: 'signing-secret', channelId: 'C0123456789',
          apiUrl: 'https://slack-gov.com/api/', channels: [], groups: true,
          ...PLATFORMS_CONFIG.slack,
        },
        discord: {
          botToken: VALID.PLATFORM2_BOT_TOKEN, publicKey: VALID.PLATFORM2_PUBLIC_KEY,
          applicationId: VALID.PLATFORM2_APPLICATION_ID,
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
    const {
      CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET, CHAT_APP_TOKEN, CHAT_CHANNEL_ID, SLACK_CLIENT_ID, SLACK_CLIENT_SECRET,
      SLACK_ENCRYPTION_KEY, ...otherVariables
    } = VALID as Env
    expect(Object.keys(readConfig(otherVariables).platforms)).toEqual(['discord', ...Object.keys(PLATFORM_ENVS)])
  })

  test('of Slack with an app-level token needs no signing secret, unless the host ends processes', () => {
    const { CHAT_SIGNING_SECRET, ...rest } = PRODUCTION
    const bySocket = { ...rest, CHAT_APP_TOKEN: 'xapp-1-A1-1-a' }
    const vercel = { VERCEL: '1', CRON_SECRET: 'cron-secret-of-16' }
    expect(readConfig(bySocket)).toMatchObject({
      siteUrl: null, platforms: { slack: { appToken: 'xapp-1-A1-1-a', signingSecret: undefined } },
    })
    expect(problemsOf({ ...bySocket, ...vercel })).toEqual([
      expect.stringMatching(/^CHAT_SIGNING_SECRET is missing, but CHAT_APP_TOKEN needs a process that keeps running/),
    ])
    expect(readConfig({ ...PRODUCTION, ...bySocket, CHAT_SIGNING_SECRET, ...vercel }).platforms).toMatchObject({
      slack: { signingSecret: CHAT_SIGNING_SECRET, appToken: undefined },
    })
    expect(problemsOf({ ...bySocket, CHAT_BOT_TOKEN: '' })).toEqual([
      expect.stringMatching(/^CHAT_BOT_TOKEN is missing, but other Slack variables/),
    ])
  })

  test('of Telegram that is polled needs no secret and no public URL, unless the host ends processes', () => {
    const { CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET, CHAT_CHANNEL_ID, NUXT_PUBLIC_SITE_URL, ...rest } = PRODUCTION
    const { TELEGRAM_WEBHOOK_SECRET_TOKEN: secret, ...telegram } = PLATFORM_ENVS.telegram
    const polled = { ...rest, ...telegram, TELEGRAM_POLLING: '1' }
    const vercel = { VERCEL: '1', CRON_SECRET: 'cron-secret-of-16' }
    expect(readConfig(polled)).toMatchObject({
      siteUrl: null, platforms: { telegram: { polling: true, secretToken: undefined } },
    })
    expect(problemsOf({ ...polled, TELEGRAM_POLLING: '0' })).toEqual([
      expect.stringMatching(/^TELEGRAM_WEBHOOK_SECRET_TOKEN is missing/),
    ])
    expect(problemsOf({ ...polled, ...vercel })).toEqual([
      expect.stringMatching(/^TELEGRAM_WEBHOOK_SECRET_TOKEN is missing, but TELEGRAM_POLLING needs a process that keeps/),
    ])
    expect(readConfig({ ...polled, ...vercel, TELEGRAM_WEBHOOK_SECRET_TOKEN: secret }).platforms).toMatchObject({
      telegram: { polling: false, secretToken: secret },
    })
  })

  test.each(Object.entries(PLATFORM_ENVS))('of %s alone is enough in production', (key, platformVariables) => {
    const { CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET, CHAT_CHANNEL_ID, ...mailAndStore } = PRODUCTION
    const { platforms } = readConfig({ ...mailAndStore, ...platformVariables, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' })
    expect(Object.keys(platforms)).toEqual([key])
  })

  test('of a group with one malformed is still asked for in full', () => {
    expect(problemsOf({ NODE_ENV: 'development', SANDBOX: '1', PLATFORM2_BOT_TOKEN: 'ä' }).map(problem => (
      problem.split(' ')[0]
    ))).toEqual(['PLATFORM2_BOT_TOKEN', 'PLATFORM2_PUBLIC_KEY', 'PLATFORM2_APPLICATION_ID'])
  })

  test.each(aliases)('%s and %s with different values are an error that names both', (name, alias) => {
    expect(problemsOf({ ...VALID, [alias]: `${VALID[name as keyof typeof VALID]}x` })).toEqual([
      expect.stringMatching(new RegExp(`^${name} and its alias ${alias} `)),
    ])
  })
})

describe('production', () => {
  test('with nothing set lists every missing variable at once, what each is for and where to get it', () => {
    const required = [
      'CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID', 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL',
      'STORE_URL',
    ] as const
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

  test.each([
    undefined, 'production', 'staging', 'Development',
  ])('is every environment but development and test, such as NODE_ENV=%s', (NODE_ENV) => {
    expect(readConfig({ ...PRODUCTION, NODE_ENV }).production).toBe(true)
    expect(problemsOf({ NODE_ENV })).toHaveLength(7)
  })

  test('needs no more than the seven, and has no sandbox', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({
      production: true, serverless: false, siteUrl: null, maxBodyBytes: 262_144,
      bodies: { memory: 67_108_864, timeoutMs: 30_000 }, dataDir: '.data',
      form: {
        rateLimit: 60, rateLimitMb: 20, trustedProxies: 0, honeypot: '_gotcha', heldMax: 1000,
        allowedOrigins: undefined, apiKey: undefined, turnstile: undefined,
      }, mail: { fromName: 'Formbot' },
      retry: { baseMs: 5000, leaseMs: 30_000, retryForMs: 3 * 86_400_000, sweepIntervalMs: 2000 },
    })
    const { endpoint, cronSecret, host, platforms } = readConfig(PRODUCTION)
    expect([endpoint.url, endpoint.tellsErasures, cronSecret, host]).toEqual([undefined, false, undefined, undefined])
    expect(Object.keys(platforms)).toEqual(['slack'])
  })

  test.each([
    'CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID', 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL',
    'STORE_URL',
  ])('without %s names just that', (name) => {
    for (const emptyValue of [undefined, '', '  ']) {
      expect(problemsOf({ ...PRODUCTION, [name]: emptyValue })).toEqual([
        expect.stringMatching(new RegExp(`^${name} is missing`)),
      ])
    }
  })
})

describe('malformed values', () => {
  const SECRET = 'hunter2!'

  test.each([
    ['CHAT_BOT_TOKEN', `${SECRET} with spaces`],
    ['STORE_URL', `http://:${SECRET}@localhost`], ['STORE_URL', `${SECRET} 6379`],
    ['MAIL_FROM_ADDRESS', SECRET], ['FORWARD_EMAIL', SECRET], ['FORWARD_ENDPOINT', `ftp://${SECRET}`],
    ['FORWARD_ENDPOINT', SECRET], ['FORWARD_ENDPOINT', `https://user:${SECRET}@example.com/in`],
    ['FORWARD_SIGNING_SECRET', SECRET], ['NUXT_PUBLIC_SITE_URL', SECRET],
    ['SLACK_API_URL', SECRET], ['RESEND_BASE_URL', SECRET], ['CRON_SECRET', `${SECRET} x`], ['SANDBOX', SECRET],
    ['VERCEL', SECRET], ['MAX_BODY_BYTES', SECRET], ['MAX_BODY_BYTES', '-1'],
    ['RETRY_BASE_MS', '1.5'], ['RETRY_FOR', '10d'], ['RETRY_FOR', '0'],
    ['CARD_INTERVAL_MS', '-1'], ['LEASE_MS', '0'], ['SWEEP_INTERVAL_MS', SECRET],
    ['FORM_RATE_LIMIT', '-1'], ['FORM_RATE_LIMIT_MB', '-1'], ['TRUST_PROXY', 'true'], ['FORM_API_KEY', 'too-short'],
    ['FORM_API_KEY', `${SECRET} with spaces`], ['TURNSTILE_VERIFY_URL', SECRET],
    ['FORM_ALLOWED_ORIGINS', ','], ['FORM_ALLOWED_ORIGINS', 'example.com'], ['FORM_ALLOWED_ORIGINS', '*'],
    ['FORM_ALLOWED_ORIGINS', 'null'], ['FORM_ALLOWED_ORIGINS', `https://example.com,https://${SECRET}@example.com`],
    ['FORM_ALLOWED_ORIGINS', 'https://example.com/contact'],
    ['FORM_ALLOWED_ORIGINS', 'https://example.com https://www.example.com'],
    ['GOOGLE_CHAT_CREDENTIALS', SECRET], ['GOOGLE_CHAT_CREDENTIALS', `{"private_key":"${SECRET}"}`],
    ['TELEGRAM_WEBHOOK_SECRET_TOKEN', SECRET], ['WHATSAPP_ACCESS_TOKEN', `${SECRET} with spaces`],
    ['WHATSAPP_VERIFY_TOKEN', SECRET], ['OPS_PASSWORD', SECRET], ['NUXT_SESSION_PASSWORD', SECRET.repeat(3)],
    ['BLOB_READ_WRITE_TOKEN', `${SECRET} x`], ['FILES_ACCESS', SECRET], ['FILES_MAX_BYTES', '-1'],
    ['VERCEL_BLOB_API_URL', SECRET], ['FILES_S3_ENDPOINT', `ftp://${SECRET}`], ['TOOLS_ENRICH_DESCRIPTIONS', SECRET],
  ])('%s is named with what is wrong, without the value', (name, value) => {
    const problems = problemsOf({ ...VALID, [name]: value })
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} is malformed: (?:must|is) `))])
    expect(problems[0]).not.toContain('hunter2')
  })

  test('set by their alias are named with it', () => {
    const { CHAT_BOT_TOKEN, STORE_URL, ...rest } = PRODUCTION
    expect(problemsOf({ ...rest, CHAT_BOT_TOKEN, REDIS_URL: 'x' })).toEqual([
      expect.stringContaining('STORE_URL (set as REDIS_URL) is malformed: must be a redis:// or rediss:// URL'),
    ])
    expect(checkValues({ ...rest, STORE_URL, SLACK_BOT_TOKEN: CHAT_BOT_TOKEN!.slice(1) })).toEqual([
      expect.stringContaining('CHAT_BOT_TOKEN (set as SLACK_BOT_TOKEN) looks unusual: must start with xoxb-'),
    ])
  })

  test('are reported together with what is missing', () => {
    expect(problemsOf({ ...PRODUCTION, FORWARD_EMAIL: 'x', LEASE_MS: 'y', STORE_URL: undefined })).toHaveLength(3)
  })
})

describe('development', () => {
  test('works with nothing set: sandbox, a file of SQLite, caught emails', () => {
    expect(readConfig({ NODE_ENV: 'development' })).toMatchObject({
      production: false, platforms: { sandbox: {} }, storeUrl: 'sqlite:.data/forms.db', mail: { apiKey: undefined },
    })
    expect(readConfig({ NODE_ENV: 'test' })).toMatchObject({ production: false, platforms: { sandbox: {} } })
  })

  test('has no sandbox once Slack is configured, unless it is asked for', () => {
    const env: Env = { ...PRODUCTION, NODE_ENV: 'development', STORE_URL: undefined }
    expect(readConfig({ ...env, DATA_DIR: '/var/forms' })).toMatchObject({
      platforms: { slack: { channelId: 'C0123456789' } }, storeUrl: 'sqlite:/var/forms/forms.db',
    })
    expect(Object.keys(readConfig(env).platforms)).toEqual(['slack'])
    expect(readConfig({ ...env, SANDBOX: '1' })).toMatchObject({
      platforms: { sandbox: {}, slack: { channelId: 'C0123456789' } },
    })
  })

  test('without the sandbox needs a chat platform and email', () => {
    expect(problemsOf({ NODE_ENV: 'development', SANDBOX: 'false' })).toHaveLength(6)
  })

  test.each([
    ['CHAT_BOT_TOKEN', 1], ['CHAT_SIGNING_SECRET', 1], ['CHAT_CHANNEL_ID', 2],
  ])('with only %s set names the other credentials of Slack', (name, missingCount) => {
    const problems = problemsOf({ NODE_ENV: 'development', SANDBOX: '1', [name]: PRODUCTION[name] })
    expect(problems).toHaveLength(missingCount)
    expect(problems.every(problem => problem.includes('is missing, but other Slack variables are set'))).toBe(true)
  })
})

test('a Resend key needs a sender and a recipient', () => {
  expect(problemsOf({ NODE_ENV: 'development', MAIL_API_KEY: 're_1' }).map(problem => problem.split(' ')[0])).toEqual([
    'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL',
  ])
})

test('a signing secret needs an endpoint', () => {
  expect(problemsOf({ ...VALID, FORWARD_ENDPOINT: undefined })).toEqual([
    expect.stringContaining('FORWARD_ENDPOINT is missing, but FORWARD_SIGNING_SECRET is set'),
  ])
})

test('on Vercel its own proxy is trusted, unless TRUST_PROXY says otherwise', () => {
  expect(readConfig({ ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET }).form.trustedProxies).toBe(1)
  expect(
    readConfig({ ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET, TRUST_PROXY: '0' }).form.trustedProxies,
  ).toBe(0)
})

test('on Vercel the domain of the project is the site, unless NUXT_PUBLIC_SITE_URL says otherwise', () => {
  const onVercel = {
    ...PRODUCTION, VERCEL: '1', CRON_SECRET: VALID.CRON_SECRET, VERCEL_PROJECT_PRODUCTION_URL: 'forms.vercel.app',
  }
  expect(readConfig(onVercel).siteUrl).toBe('https://forms.vercel.app')
  expect(
    readConfig({ ...onVercel, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com' }).siteUrl,
  ).toBe('https://forms.example.com')
})
