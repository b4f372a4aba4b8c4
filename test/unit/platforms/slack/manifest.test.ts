import { readFileSync } from 'node:fs'
import { PermissionsBitField } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { discordInviteLink } from '../../../../server/platforms/discord/definition'
import { slack } from '../../../../server/platforms/slack/definition'
import { createAppLink, installLink, slackManifest } from '../../../../server/platforms/slack/manifest'

const SITE = 'https://forms.example.com'
const manifest = slackManifest(SITE)

describe('the Slack manifest', () => {
  // The file contains the settings of the specification's table "Chat app manifest (required configuration)".
  it.each([
    ['slack-manifest.json', manifest], ['slack-manifest.socket.json', slackManifest(null, { socket: true })],
  ])('is what %s holds', (name, expected) => {
    const file = readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8')
    expect(file).toBe(`${JSON.stringify(expected, null, 2)}\n`)
  })

  it.each([
    [{ files: true }, 'files:read', undefined], [{ agent: true }, 'assistant:write', 'agent_session_stopped'],
    [{ groups: true }, 'usergroups:read', undefined],
  ])('of the variant %j asks for %s as well', (variant, scope, event) => {
    const { features, oauth_config: { scopes }, settings } = slackManifest(SITE, variant)
    expect(scopes.bot).toEqual([...manifest.oauth_config.scopes.bot, scope])
    const events = [...manifest.settings.event_subscriptions.bot_events, ...event ? [event] : []]
    expect(settings.event_subscriptions.bot_events).toEqual(events)
    expect('agent_view' in features && features.agent_view!.agent_description !== '').toBe('agent' in variant)
  })

  it('of an app with a socket has no addresses, and needs none; no other manifest has the socket', () => {
    const socket = slackManifest(null, { socket: true })
    expect(JSON.stringify(socket)).not.toMatch(/url|null/)
    const { settings, features: { slash_commands: [command] } } = socket
    const { url, ...commandOf } = manifest.features.slash_commands[0]!
    expect(socket).toEqual({
      ...manifest, features: { ...manifest.features, slash_commands: [commandOf] }, settings: {
        ...manifest.settings, socket_mode_enabled: true, interactivity: { is_enabled: true },
        event_subscriptions: { bot_events: manifest.settings.event_subscriptions.bot_events },
      },
    })
    expect([settings.socket_mode_enabled, command!.command, url]).toEqual([true, '/forms', expect.anything()])
    const variants = [{ files: true }, { agent: true }, { groups: true }, { oauth: true }]
    expect(variants.map(variant => slackManifest(SITE, variant).settings.socket_mode_enabled)).not.toContain(true)
  })

  it('is the one with a socket once CHAT_APP_TOKEN is set, with or without a public URL', () => {
    const read = (values: Record<string, string>) => slack.read(values, {
      require: () => {}, requireSite: () => {}, serverless: false, siteUrl: SITE, channels: [], people: [],
    })
    const modeOf = (siteUrl: string | null, settings: unknown) => slack.manifest!(
      siteUrl, settings, { files: false, agent: false },
    ) as { settings: { socket_mode_enabled: boolean } } | null
    const bySocket = read({ CHAT_BOT_TOKEN: 'xoxb-1', CHAT_APP_TOKEN: 'xapp-1' })
    const manifests = [modeOf(null, bySocket), modeOf(SITE, bySocket), modeOf(SITE, read({})), modeOf(null, read({}))]
    expect(manifests.map(each => each?.settings.socket_mode_enabled)).toEqual([true, true, false, undefined])
    const texts = (settings: unknown) => slack.setup(null, settings).map(({ text }) => text).join(' ')
    expect(texts(bySocket)).toMatch(/Socket Mode.*connections:write.*CHAT_APP_TOKEN.*CHAT_BOT_TOKEN.*CHAT_CHANNEL_ID/)
    expect(texts(bySocket)).not.toMatch(/SIGNING_SECRET|SITE_URL|Event Subscriptions/)
    expect(texts(undefined)).toMatch(/SITE_URL.*CHAT_APP_TOKEN.*CHAT_SIGNING_SECRET/)
  })

  it('asks for usergroups:read only where a list names a user group', () => {
    const manifestFor = (people: string[]) => JSON.stringify(slack.manifest!(SITE, slack.read(
      {}, { require: () => {}, requireSite: () => {}, serverless: false, siteUrl: SITE, channels: [], people },
    ), { files: false, agent: false }))
    expect(['S0123456789', 'U0123456789'].map(id => manifestFor([id]).includes('usergroups'))).toEqual([true, false])
    const query = { clientId: '1', redirectUri: SITE, state: 's' }
    expect(installLink(query, { groups: true })).toContain('usergroups%3Aread')
  })

  it('keeps to what Slack accepts as names', () => {
    // https://docs.slack.dev/reference/app-manifest
    expect(manifest.display_information.name.length).toBeLessThanOrEqual(35)
    expect(manifest.display_information.description.length).toBeLessThanOrEqual(140)
    expect(manifest.features.bot_user.display_name).toMatch(/^[a-z0-9._-]{1,80}$/)
  })

  it('arrives whole through the link that creates the app', () => {
    const link = new URL(createAppLink(manifest))
    expect(link.origin + link.pathname).toBe('https://api.slack.com/apps')
    expect(link.searchParams.get('new_app')).toBe('1')
    expect(JSON.parse(link.searchParams.get('manifest_json')!)).toEqual(manifest)
    // These characters are the same in every query parser, and every browser and server accepts this length.
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
    expect(new PermissionsBitField(BigInt(link.searchParams.get('permissions')!)).toArray().sort()).toEqual([
      'AddReactions', 'CreatePublicThreads', 'EmbedLinks', 'ReadMessageHistory', 'SendMessages',
      'SendMessagesInThreads', 'ViewChannel',
    ])
  })
})
