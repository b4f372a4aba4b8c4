import { readFileSync } from 'node:fs'
import { PermissionFlagsBits, PermissionsBitField } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { discordInviteLink } from '../../../../server/platforms/discord/definition'
import { slack } from '../../../../server/platforms/slack/definition'
import { createAppLink, installLink, slackManifest } from '../../../../server/platforms/slack/manifest'

const SITE = 'https://forms.example.com'
const manifest = slackManifest(SITE)

describe('the Slack manifest', () => {
  // These tests follow the specification's table "Chat app manifest (required configuration)", row by row.
  it('has a bot user that is always online', () => {
    expect(manifest.features.bot_user).toEqual({ display_name: 'form-bot', always_online: true })
  })

  it('asks for exactly the specified bot scopes and that of its command, and for none of a user', () => {
    expect(manifest.oauth_config).toEqual({
      scopes: {
        bot: [
          'app_mentions:read', 'channels:history', 'channels:read', 'chat:write', 'commands', 'groups:history',
          'groups:read', 'im:history', 'im:read',
          'mpim:history', 'mpim:read', 'reactions:read', 'reactions:write', 'users:read',
        ],
      },
    })
  })

  it('asks for files:read in the file variant only', () => {
    const { bot } = slackManifest(SITE, { files: true }).oauth_config.scopes
    expect(bot).toEqual([...manifest.oauth_config.scopes.bot, 'files:read'])
  })

  it('is one of an agent, whose answers Slack offers to stop, in the agent variant only', () => {
    const { features, oauth_config: { scopes }, settings } = slackManifest(SITE, { agent: true })
    expect(features.agent_view!.agent_description).not.toBe('')
    expect(scopes.bot).toEqual([...manifest.oauth_config.scopes.bot, 'assistant:write'])
    expect(settings.event_subscriptions.bot_events).toEqual([
      ...manifest.settings.event_subscriptions.bot_events, 'agent_session_stopped',
    ])
    expect(manifest.features).not.toHaveProperty('agent_view')
  })

  it('asks for usergroups:read only where a list names a user group', () => {
    const read = (people: string[]) => slack.read(
      {}, { require: () => {}, requireSite: () => {}, siteUrl: SITE, channels: [], people },
    )
    const variant = { files: false, agent: false }
    const manifestFor = (people: string[]) => JSON.stringify(slack.manifest!(SITE, read(people), variant))
    expect(manifestFor(['S0123456789', 'U0123456789'])).toContain('"usergroups:read"')
    expect(manifestFor(['U0123456789'])).not.toContain('usergroups')
    const query = { clientId: '1', redirectUri: SITE, state: 's' }
    expect(installLink(query, { groups: true })).toContain('usergroups%3Aread')
  })

  it('has exactly the specified events and that of its App Home, interactivity and switches', () => {
    expect(manifest.settings).toEqual({
      event_subscriptions: {
        request_url: 'https://forms.example.com/api/webhooks/slack',
        bot_events: [
          'app_home_opened', 'app_mention', 'channel_id_changed', 'message.channels', 'message.groups', 'message.im',
          'message.mpim',
        ],
      },
      interactivity: { is_enabled: true, request_url: 'https://forms.example.com/api/webhooks/slack' },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    })
  })

  it('has one command, which hears as messages do whom it names', () => {
    expect(manifest.features.slash_commands).toEqual([{
      command: '/forms', url: 'https://forms.example.com/api/webhooks/slack', should_escape: true,
      description: 'What waits for a decision, for you alone',
      usage_hint: 'pending | show <id or words> | status | take <id> | assign <id> @somebody | help',
    }])
  })

  it('keeps to what Slack accepts as names', () => {
    // https://docs.slack.dev/reference/app-manifest
    expect(manifest.display_information.name.length).toBeLessThanOrEqual(35)
    expect(manifest.display_information.description.length).toBeLessThanOrEqual(140)
    expect(manifest.features.bot_user.display_name).toMatch(/^[a-z0-9._-]{1,80}$/)
  })

  it('is what slack-manifest.json holds', () => {
    const file = readFileSync(new URL('../../../../slack-manifest.json', import.meta.url), 'utf8')
    expect(file).toBe(`${JSON.stringify(manifest, null, 2)}\n`)
  })

  it('arrives whole through the link that creates the app', () => {
    const link = new URL(createAppLink(manifest))
    expect(link.origin + link.pathname).toBe('https://api.slack.com/apps')
    expect(link.searchParams.get('new_app')).toBe('1')
    expect(JSON.parse(link.searchParams.get('manifest_json')!)).toEqual(manifest)
    // No parser of queries changes these characters, and every browser and server accepts this length.
    expect(link.search).toMatch(/^\?[\w.~!*'()%&=-]+$/)
    expect(link.href.length).toBeLessThan(2000)
  })
})

describe('the Discord invite link', () => {
  const link = new URL(discordInviteLink('123456789012345678'))

  it('asks for the bot with its commands, and for the permissions that its work needs', () => {
    expect(link.origin + link.pathname).toBe('https://discord.com/oauth2/authorize')
    expect(link.searchParams.get('client_id')).toBe('123456789012345678')
    expect(link.searchParams.get('scope')).toBe('bot applications.commands')
    const {
      ViewChannel, SendMessages, SendMessagesInThreads, CreatePublicThreads, EmbedLinks, ReadMessageHistory,
      AddReactions,
    } = PermissionFlagsBits
    const permissions = new PermissionsBitField([
      ViewChannel, SendMessages, SendMessagesInThreads, CreatePublicThreads, EmbedLinks, ReadMessageHistory,
      AddReactions,
    ])
    expect(BigInt(link.searchParams.get('permissions')!)).toBe(permissions.bitfield)
  })
})
