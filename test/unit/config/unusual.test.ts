import { describe, expect, test } from 'vitest'
import { checkValues, readConfig } from '../../../server/config'
import { problemsOf, PRODUCTION, VALID } from '../../fixtures/config/env'

describe('a value that looks unusual', () => {
  test.each([
    ['CHAT_BOT_TOKEN', 'test-token'], ['CHAT_SIGNING_SECRET', 'hunter2'], ['CHAT_CHANNEL_ID', 'C123'],
    ['PLATFORM2_BOT_TOKEN', 'hunter2'], ['PLATFORM2_PUBLIC_KEY', 'hunter2'], ['PLATFORM2_APPLICATION_ID', '123'],
    ['DISCORD_CHANNEL_ID', '456'], ['DISCORD_GUILD_ID', '789'],
    ['TEAMS_APP_ID', 'hunter2'], ['TEAMS_APP_TENANT_ID', 'hunter2'], ['TEAMS_CHANNEL_ID', '19:channel;messageid=1'],
    ['GOOGLE_CHAT_PROJECT_NUMBER', '1'], ['GOOGLE_CHAT_SPACE', 'AAAA'], ['GOOGLE_CHAT_BOT_USER_ID', '5'],
    ['TELEGRAM_BOT_TOKEN', '123:abc'], ['TELEGRAM_WEBHOOK_SECRET_TOKEN', 'with other characters!'],
    ['TELEGRAM_CHAT_ID', '@group'], ['WHATSAPP_APP_SECRET', 'secret'], ['WHATSAPP_PHONE_NUMBER_ID', '+49'],
    ['WHATSAPP_CHAT_ID', '+49 151 12345678'], ['OPS_SLACK_TEAM_ID', 'team'], ['OPS_DISCORD_GUILD_ID', 'guild'],
    ['OPS_DISCORD_CLIENT_ID', 'client'], ['CRON_SECRET', 'secret'], ['MAIL_WEBHOOK_SECRET', 'c2VjcmV0'],
    ['BLOB_READ_WRITE_TOKEN', 'blob-token'], ['FILES_S3_BUCKET', 'Forms'], ['AI_MODEL', 'my model'],
  ])('is taken: %s=%s is a warning, without the value', (name, value) => {
    const env = { ...VALID, [name]: value }
    expect(problemsOf(env)).toEqual([])
    const warnings = checkValues(env)
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name} looks unusual: (?:must|is) `))])
    expect(warnings[0]).not.toContain(`${value} `)
    expect(checkValues(VALID)).toEqual([])
  })

  test('is named for what it is, where it is the token of a person', () => {
    expect(checkValues({ ...VALID, CHAT_BOT_TOKEN: 'xoxp-1' })).toEqual([
      expect.stringContaining('CHAT_BOT_TOKEN looks unusual: must be a bot token, not a user token (xoxp-)'),
    ])
  })

  test('is named where .env has more of it, behind a # without quotes', () => {
    const dotenv = [
      'STORE_URL=redis://:pass#word@localhost', 'export OPS_PASSWORD = a-long-password#1\r', 'MAIL_FROM_NAME=#1 Forms',
      'FORWARD_EMAIL=team@example.com # the team', 'HOST="0.0.0.0#x"', '# HELD_MAX=1#2', 'CHAT_CHANNEL_ID=C0123456789',
    ].join('\n')
    const env = {
      ...VALID, STORE_URL: 'redis://:pass', OPS_PASSWORD: 'a-long-password', MAIL_FROM_NAME: '', HELD_MAX: '1',
    }
    expect(() => readConfig(env, dotenv)).toThrow(
      /STORE_URL is malformed: must be a redis:\/\/ .* URL\. The reader of \.env cut the value at its #\. Put the value in quotes/,
    )
    expect(checkValues(env, dotenv)).toEqual([
      expect.stringMatching(/^OPS_PASSWORD may be incomplete\. The reader of \.env cut the value at its #/),
    ])
    expect(checkValues({ ...VALID, OPS_PASSWORD: 'a-long-password#1' }, dotenv)).toEqual([])
    expect(() => readConfig({ ...PRODUCTION, FORWARD_EMAIL: '' }, 'FORWARD_EMAIL=#team@example.com')).toThrow(
      /FORWARD_EMAIL is missing\. The reader of \.env cut the value at its #/,
    )
  })

  test.each([
    ['team@example.com #1', 'team@example.com ', []],
    ['"team@example.com#1', '"team@example.com', ['It begins or ends with a quote']],
  ])('is not named as cut at its # where .env has %s', (line, value, hints) => {
    const warnings = checkValues({ ...VALID, MAIL_FROM_NAME: value }, `MAIL_FROM_NAME=${line}`)
    expect(warnings).toEqual(hints.map(hint => expect.stringContaining(hint) as string))
    expect(warnings.join()).not.toContain('#')
  })

  test('is named with the characters that end a URL, where they stand in a password', () => {
    for (const password of ['a/b', 'a?b', 'a#b']) {
      expect(problemsOf({ ...VALID, STORE_URL: `redis://:${password}@localhost:6379/1` })).toEqual([
        expect.stringMatching(/^STORE_URL is malformed: must not have \/, \? or # in its password: write them as %2F, %3F and %23/),
      ])
    }
  })

  test('is named with the quote that it begins or ends with', () => {
    expect(problemsOf({ ...VALID, STORE_URL: '"redis://localhost' })).toEqual([
      expect.stringMatching(/^STORE_URL is malformed: .* It begins or ends with a quote/),
    ])
    expect(problemsOf({ ...VALID, FORWARD_EMAIL: '“team@example.com”' })).toEqual([
      expect.stringMatching(/^FORWARD_EMAIL is malformed: must not be in quotes/),
    ])
    expect(checkValues({ ...VALID, OPS_PASSWORD: 'a-long-password\'' })).toEqual([
      expect.stringMatching(/^OPS_PASSWORD may be incomplete\. It begins or ends with a quote/),
    ])
    expect(checkValues({ ...VALID, MAIL_FROM_NAME: 'Ada "The Boss"' })).toEqual([])
  })
})

test('FORWARD_EMAIL takes several addresses, and hosts without a dot', () => {
  const readRecipients = (FORWARD_EMAIL: string) => readConfig({ ...PRODUCTION, FORWARD_EMAIL }).mail.to
  expect(readRecipients('ops@localhost')).toEqual(['ops@localhost'])
  expect(readRecipients('a@example.com, b@mail,')).toEqual(['a@example.com', 'b@mail'])
  for (const wrong of [',', 'a@example.com,b', 'a@', 'a..b@example.com', 'a@-x', 'Ada <a@example.com>']) {
    expect(problemsOf({ ...PRODUCTION, FORWARD_EMAIL: wrong })).toEqual([
      expect.stringMatching(/^FORWARD_EMAIL is malformed: must (?:be an email address|have an address)\./),
    ])
  }
})
