import { describe, expect, test } from 'vitest'
import { readSlackOAuth, requireWorkspaces, slackOAuthVariables } from '../../server/config/slack-oauth'

const OAUTH = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'secret', SLACK_ENCRYPTION_KEY: 'ab'.repeat(32) }
const NONE = { SLACK_CLIENT_ID: undefined, SLACK_CLIENT_SECRET: undefined, SLACK_ENCRYPTION_KEY: undefined }

/** What is asked for, as if nothing were set. */
function asked(act: (require: (names: readonly string[], when: string) => void) => unknown): [string, string][] {
  const found: [string, string][] = []
  act((names, when) => { found.push([names.join(' '), when]) })
  return found
}

describe('installing the Slack app in other workspaces', () => {
  test('is off without its variables', () => {
    expect(asked(require => expect(readSlackOAuth(NONE, require)).toBeUndefined())).toEqual([])
  })

  test.each(Object.keys(OAUTH) as (keyof typeof OAUTH)[])('asks for all three, and for the first workspace, when %s is set', (name) => {
    const [group, home] = asked(require => readSlackOAuth({ ...NONE, [name]: OAUTH[name] }, require))
    expect(group![0]).toBe('SLACK_CLIENT_ID SLACK_CLIENT_SECRET SLACK_ENCRYPTION_KEY')
    expect(home).toEqual(['CHAT_BOT_TOKEN CHAT_SIGNING_SECRET CHAT_CHANNEL_ID', expect.stringContaining('the first one, where the cards of the default form go')])
  })

  test('is asked for by a form whose channel is in another workspace, and by no other', () => {
    const forms = (slack: string) => ({ partner: { name: 'Partner', channels: { slack } } })
    expect(asked(require => requireWorkspaces(forms('T0123456789:C0123456789'), require))).toEqual([[expect.stringContaining('SLACK_CLIENT_ID'), expect.stringContaining('T0123456789:C0123456789')]])
    expect(asked(require => requireWorkspaces(forms('C0123456789'), require))).toEqual([])
  })
})

describe('SLACK_ENCRYPTION_KEY', () => {
  const { schema } = slackOAuthVariables.SLACK_ENCRYPTION_KEY

  test.each([Buffer.alloc(32, 7).toString('base64'), Buffer.alloc(32, 7).toString('hex'), 'AB'.repeat(32)])('may be %s', (key) => {
    expect(schema.safeParse(key).success).toBe(true)
  })

  test.each(['a'.repeat(32), Buffer.alloc(16).toString('base64'), Buffer.alloc(33).toString('base64'), 'gh'.repeat(32), `${'a'.repeat(43)}`])('may not be %s', (key) => {
    expect(schema.safeParse(key).error?.issues[0]?.message).toBe('it is not 32 bytes in base64 (44 characters) or hexadecimal (64)')
  })
})
