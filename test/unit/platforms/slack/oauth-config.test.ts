import { describe, expect, test } from 'vitest'
import { slack } from '../../../../server/platforms/slack/definition'

const HOME = { CHAT_BOT_TOKEN: 'xoxb-1', CHAT_SIGNING_SECRET: 'signing-secret', CHAT_CHANNEL_ID: 'C0123456789' }
const OAUTH = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'secret', SLACK_ENCRYPTION_KEY: 'ab'.repeat(32) }

/** Required variables for these settings, whether they are set or not. */
function listRequired(values: Record<string, string>, channels: string[] = []): [string, string][] {
  const requirements: [string, string][] = []
  slack.check!(values, {
    require: (names, when) => void requirements.push([names.join(' '), when]),
    requireSite: why => requirements.push(['NUXT_PUBLIC_SITE_URL', why]), serverless: false, siteUrl: '', channels,
    people: [],
  })
  return requirements
}

describe('installing the Slack app in other workspaces', () => {
  test('is off without its variables', () => {
    expect(listRequired(HOME)).toEqual([])
    const context = {
      require: () => {}, requireSite: () => {}, serverless: false, siteUrl: '', channels: [], people: [],
    }
    expect(slack.read(HOME, context)).toMatchObject({ oauth: undefined })
  })

  test.each(Object.entries(OAUTH))('asks for all three, and for the first workspace, when %s is set', (name, value) => {
    expect(listRequired({ [name]: value }).slice(0, 2)).toEqual([
      ['SLACK_CLIENT_ID SLACK_CLIENT_SECRET SLACK_ENCRYPTION_KEY', expect.anything()],
      ['CHAT_BOT_TOKEN CHAT_SIGNING_SECRET', expect.stringContaining('the first one, whose credentials these are')],
    ])
  })

  test('is asked for by a form whose channel is in another workspace, and by no other', () => {
    expect(listRequired(HOME, ['T0123456789:C0123456789'])).toEqual([
      [expect.stringContaining('SLACK_CLIENT_ID'), expect.stringContaining('T0123456789:C0123456789')],
    ])
    expect(listRequired(HOME, ['C0123456789'])).toEqual([])
  })
})

describe('SLACK_ENCRYPTION_KEY', () => {
  const { schema } = slack.variables.SLACK_ENCRYPTION_KEY!

  test.each([
    Buffer.alloc(32, 7).toString('base64'), Buffer.alloc(32, 7).toString('hex'), 'AB'.repeat(32),
  ])('may be %s', key => expect(schema.safeParse(key).success).toBe(true))

  test.each([
    'a'.repeat(32), Buffer.alloc(16).toString('base64'), Buffer.alloc(33).toString('base64'), 'gh'.repeat(32),
    'a'.repeat(43),
  ])('may not be %s', key => expect(schema.safeParse(key).error?.issues[0]?.message).toBe(
    'must be 32 bytes in base64 (44 characters) or hexadecimal (64)',
  ))
})
