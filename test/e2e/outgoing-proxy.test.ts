import { beforeEach, expect, it } from 'vitest'
import { click, sendForm, submit } from '../support/deployment'
import { startDiscord, type DiscordDouble } from '../support/discord/discord'
import { startForwardProxy } from '../support/forward-proxy'
import { startGoogleChat } from '../support/gchat'
import { endAfterTest } from '../support/lifetime'
import { startServer } from '../support/server'
import { APP_TOKEN } from '../support/slack-socket'
import { deployAgent, heard, tell, type AgentDeployment } from '../support/slack-people'
import { startTeams } from '../support/teams'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'

const API_KEY = 'a-key-for-servers-0123456789'

let d: AgentDeployment
let discord: DiscordDouble
let proxy: Awaited<ReturnType<typeof startForwardProxy>>
beforeEach(async () => {
  proxy = endAfterTest(await startForwardProxy())
  discord = endAfterTest(await startDiscord())
  d = endAfterTest(await deployAgent())
  await d.server.kill()
})

/** Returns a vendor's address under a name that only the proxy can resolve. */
const behind = (name: string, url: string) => {
  const { port, pathname } = new URL(url)
  return `http://${name}.test:${port}${pathname.replace(/^\/$/, '')}`
}

it('with HTTP_PROXY everything works through the proxy: cards, clicks, email, endpoint, the agent, sockets of Discord and Slack', async () => {
  d.server = await startServer({
    ...d.env, ...discord.env, CHAT_APP_TOKEN: APP_TOKEN, HTTP_PROXY: proxy.url,
    SLACK_API_URL: behind('slack', d.slack.apiUrl), RESEND_BASE_URL: behind('resend', d.resend.url),
    FORWARD_ENDPOINT: behind('endpoint', d.endpoint.url), AI_BASE_URL: behind('model', d.model.url),
    DISCORD_API_URL: behind('discord', discord.restUrl),
  })
  const { id, card } = await submit(d, { name: 'Ada' })
  await click(d, card, 'forward', id)
  expect([await d.resend.emails(), d.endpoint.requests]).toMatchObject([{ length: 1 }, { length: 1 }])
  d.model.script({ text: 'Through the proxy.' }, { text: 'There, too.' })
  expect(await heard(d, await tell(d, 'how are you?'))).toEqual(['Through the proxy.'])
  await until('a listener', () => discord.gateway.live() > 0)
  const { id: thread } = discord.emitMessage({ content: `<@${discord.applicationId}> hi` })
  await until('the answer', () => discord.messages(thread).length > 0)
  await until('the socket', () => d.slack.sockets.live() > 0)
  // The sockets of both have an address of their own.
  expect(proxy.hosts().filter(host => host.startsWith('127.0.0.1'))).toHaveLength(2)
  const names = proxy.hosts().map(host => host.split(':')[0]!)
  expect(new Set(names)).toEqual(new Set([
    'slack.test', 'resend.test', 'endpoint.test', 'model.test', 'discord.test',
    // Addresses of the sockets that the doubles return
    '127.0.0.1',
  ]))
})

it('with HTTPS_PROXY every vendor is asked for through a tunnel, and the hosts of NO_PROXY directly', async () => {
  const [teams, google] = await Promise.all([startTeams(), startGoogleChat()])
  d.server = await startServer({
    ...d.env, ...discord.env, ...teams.env, ...google.env, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.1',
    GOOGLE_CHAT_API_URL: '', TEAMS_API_URL: 'https://teams.test', SLACK_API_URL: 'https://slack.test/api/',
    RESEND_BASE_URL: 'https://resend.test', FORWARD_ENDPOINT: 'https://endpoint.test/in', FORM_API_KEY: API_KEY,
    FORM_ALLOWED_ORIGINS: 'https://www.example.com',
    TURNSTILE_SECRET_KEY: 'secret', TURNSTILE_VERIFY_URL: 'https://turnstile.test/verify',
  })
  discord.fault = ({ path }) => path.endsWith('/gateway/bot')
    ? { status: 200, body: JSON.stringify({
        url: 'wss://gateway.test', shards: 1, session_start_limit: { remaining: 9, reset_after: 0, total: 9 },
      }) }
    : undefined
  const form = { 'name': 'Ada', 'cf-turnstile-response': 'token' }
  const send = (headers: Record<string, string>) => sendForm(d.server, form, headers)
  await send({ origin: 'https://www.example.com' })
  const { submissionId } = await (await send({ 'x-api-key': API_KEY })).json() as { submissionId: string }
  const ada = visit(d.server)
  await ada.signIn(PASSWORD)
  await ada.post(`/api/submissions/${submissionId}/decision`, { action: 'forward' })
  await Promise.all([teams.writeInPrivate(d.server.url, 'hi'), google.writeInPrivate(d.server.url, 'hi')])
  await until('the card on Discord, directly', () => discord.messages().length > 0)
  const tunnels = ['turnstile', 'slack', 'resend', 'endpoint', 'gateway'].map(name => `${name}.test:443`).concat([
    // Tokens for Teams and Google, and the keys that verify their webhooks
    'login.microsoftonline.com:443', 'oauth2.googleapis.com:443',
    'login.botframework.com:443', 'www.googleapis.com:443',
  ])
  await until('every tunnel', () => tunnels.every(host => proxy.hosts().includes(host)))
  expect(proxy.hosts().filter(host => host.startsWith('127.0.0.1'))).toEqual([])
  await Promise.all([teams.close(), google.close()])
})
