import { expect, test } from 'vitest'
import { problemsOf as problemsIn, PRODUCTION, VALID, variables } from '../../fixtures/config/env'
import { PLATFORMS_ENV } from '../../fixtures/config/platforms'
import { formsFile } from '../../support/lifetime'

const SECRET = 'hunter2!'

/** Problems of a single variable; outside production these variables need no others. */
const problemsOf = (name: string, value: string) => (
  problemsIn({ NODE_ENV: 'development', ...PLATFORMS_ENV, [name]: value })
).filter(problem => problem.startsWith(`${name} is malformed`))

test.each([
  ['FORWARD_SIGNING_SECRET', 'whsec_================'], ['FORWARD_SIGNING_SECRET', `whsec_${btoa(SECRET)}`],
  ['FORWARD_SIGNING_SECRET', `whsec_${'a'.repeat(31)}=`], ['FORWARD_SIGNING_SECRET', `whsec_${'a'.repeat(33)}`],
  ['FORWARD_SIGNING_SECRET', `whsec_${'a'.repeat(32)} ${SECRET}`],
  ['FORWARD_SIGNING_SECRET', `${`whsec_${'a'.repeat(32)} `.repeat(3)}`],
  ['MAIL_WEBHOOK_SECRET', `whsec_${SECRET}`], ['RECEIPT_WAIT', '1 hour'],
  ['MAIL_API_KEY', `re_${SECRET} x`], ['MAIL_API_KEY', `re_${SECRET}ä`], ['CHAT_BOT_TOKEN', `xoxb-${SECRET}\nx`],
  ['PLATFORM2_BOT_TOKEN', `${SECRET} ${'x'.repeat(20)}`], ['CRON_SECRET', `${SECRET} ${'x'.repeat(20)}`],
  ['METRICS_TOKEN', `${SECRET}ö${'x'.repeat(20)}`],
  ['MAIL_FROM_NAME', `Forms\r\nBcc: ${SECRET}`], ['MAIL_FROM_NAME', `Forms \u202e${SECRET}`],
  ['MAIL_FROM_NAME', SECRET.repeat(20)], ['FORWARD_EMAIL', `${'x'.repeat(65)}@example.com`],
  ['MAIL_FROM_ADDRESS', `Forms <${SECRET}@example.com>`],
  ['MAIL_FROM_ADDRESS', `x@${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(63)}.com`],
  ['STORE_URL', `redis://:${SECRET}@localhost/forms`], ['STORE_URL', `redis://:%E0%A4%A${SECRET}@localhost`],
  ['NUXT_PUBLIC_SITE_URL', `https://forms.example.com/?${SECRET}`], ['SWEEP_INTERVAL_MS', '2147483648'],
  ['AGENT_TIMEOUT', '25d'],
  ['AI_API_KEY', `${SECRET}\nx`],
])('%s that a vendor or a header would refuse for ever is refused, without the value', (name, value) => {
  const problems = problemsOf(name, value)
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} is malformed: (?:must|is) `))])
  expect(problems[0]).not.toContain('hunter2')
})

test.each([
  ['OPS_PASSWORD', 12], ['METRICS_TOKEN', 16], ['FORM_API_KEY', 16],
  ['TELEGRAM_WEBHOOK_SECRET_TOKEN', 16], ['WHATSAPP_VERIFY_TOKEN', 16], ['NUXT_SESSION_PASSWORD', 32],
])('%s that is easy to guess is refused: it must have at least %i characters', (name, minLength) => {
  expect(problemsOf(name, 'x'.repeat(minLength - 1))).toHaveLength(1)
  expect(problemsOf(name, 'x'.repeat(minLength))).toEqual([])
})

test.each(Object.keys(variables))('%s in quotes that nobody took off is refused, whatever it may be', (name) => {
  for (const quote of ['\'', '"']) {
    const problems = problemsOf(name, `${quote}${VALID[name as keyof typeof VALID]}${quote}`)
    expect(problems).toEqual([
      expect.stringMatching(`^${name} is malformed: must not be in quotes`),
    ])
  }
  expect(problemsOf(name, '"').join()).not.toContain('quotes')
})

test.each([
  ['FORM_ALLOWED_ORIGINS', 'https://*.example.com'], ['FORM_ALLOWED_ORIGINS', 'https://example.com,https://*'],
  ['NUXT_PUBLIC_SITE_URL', 'https://forms.example.com,https://www.example.com'],
  ['FORWARD_ENDPOINT', 'https://*.example.com/in'], ['STORE_URL', 'redis://one:6379,two:6379'],
])('%s with a host that no name server knows is refused: %s', (name, value) => {
  expect(problemsOf(name, value)).toHaveLength(1)
})

test('a key of a service account that is none is named with what is wrong', () => {
  const private_key = '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----'
  expect(
    problemsOf('GOOGLE_CHAT_CREDENTIALS', JSON.stringify({ client_email: 'a@example.com', private_key })),
  ).toEqual([expect.stringMatching(/^GOOGLE_CHAT_CREDENTIALS is malformed: its private_key cannot be read/)])
})

test('a key whose backslashes systemd dropped is named with the quotes that keep them', () => {
  const dropped = PLATFORMS_ENV.GOOGLE_CHAT_CREDENTIALS.replaceAll('\\', '')
  expect(problemsOf('GOOGLE_CHAT_CREDENTIALS', dropped)).toEqual([expect.stringMatching(/systemd.*single quotes/)])
})

test.each([['SITE_KEY', 'x'], ['VERIFY_URL', undefined]])('TURNSTILE_%s needs the secret', (name, siteKey) => {
  expect(problemsIn({
    ...VALID, HUMAN_CHECK: undefined, ALTCHA_SECRET: undefined, TURNSTILE_SECRET_KEY: undefined,
    TURNSTILE_SITE_KEY: siteKey,
  })).toEqual([expect.stringContaining(`TURNSTILE_SECRET_KEY is missing, but TURNSTILE_${name} is set`)])
})

test.each([
  [{ HUMAN_CHECK: 'turnstile' }, 'TURNSTILE_SECRET_KEY is missing, but HUMAN_CHECK is turnstile'],
  [{ HUMAN_CHECK: 'altcha' }, 'ALTCHA_SECRET is missing, but HUMAN_CHECK is altcha and NUXT_SESSION_PASSWORD is not set'],
  [{ ALTCHA_SECRET: 'a'.repeat(32) }, 'HUMAN_CHECK is missing, but ALTCHA_SECRET is set'],
  [{ HUMAN_CHECK: 'altcha', ALTCHA_SECRET: 'short' }, 'ALTCHA_SECRET is malformed: must have at least 32 characters'],
  [{ HUMAN_CHECK: 'hcaptcha' }, 'HUMAN_CHECK is malformed: must be altcha or turnstile'],
])('of a human check, %j is not enough', (env, problem) => {
  expect(problemsIn({ ...PRODUCTION, ...env })).toEqual([expect.stringContaining(problem)])
})

test('a form that holds needs a human check, whichever', () => {
  const FORMS_CONFIG = formsFile({ a: { name: 'A', hold: true } })
  expect(problemsIn({ ...PRODUCTION, FORMS_CONFIG })).toEqual([
    expect.stringContaining('HUMAN_CHECK is missing, but a form of the configuration sets hold'),
  ])
  expect(problemsIn({ ...PRODUCTION, FORMS_CONFIG, TURNSTILE_SECRET_KEY: '0x4AAA' })).toEqual([])
  expect(problemsIn({ ...PRODUCTION, FORMS_CONFIG, HUMAN_CHECK: 'altcha', ALTCHA_SECRET: 'a'.repeat(32) })).toEqual([])
})
