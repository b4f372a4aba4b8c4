import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { startBrowser } from '../support/browser'
import { cardNow, cardOf, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest, sharedFolder } from '../support/lifetime'
import { startServer } from '../support/server'
import { blockActions, BOT_TOKEN, CHANNEL, startSlack, type SlackMessage } from '../support/slack'
import { APP_TOKEN } from '../support/slack-socket'
import { selfSigned, startSmtp } from '../support/smtp'
import { until } from '../support/until'
import { PASSWORD, SESSION_PASSWORD, visit } from '../support/visitor'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const [block] = /^ +CHAT_BOT_TOKEN=(?:.*\n)+?(?= +```)/m.exec(README)!
/** The eight lines of the README, by name */
const lines = Object.fromEntries(block.trim().split('\n').map(line => line.trim().split(/=(.*)/s) as [string, string]))

const folder = sharedFolder()
const { key, cert, path: caPath } = selfSigned(folder)
const slack = endAfterAll(await startSlack())
const smtp = endAfterAll(await startSmtp({
  secure: true, key, cert, authOptional: false, disabledCommands: [],
  onAuth({ username, password }, _, done) {
    const isRight = username === 'forms@example.com' && password === 'password'
    done(isRight ? null : Object.assign(new Error('No'), { responseCode: 535 }), { user: 1 })
  },
}))
const VALUES: Record<string, string> = {
  CHAT_BOT_TOKEN: BOT_TOKEN, CHAT_APP_TOKEN: APP_TOKEN, CHAT_CHANNEL_ID: CHANNEL,
  SMTP_URL: lines.SMTP_URL!.replace('mail.example.com:465', `127.0.0.1:${smtp.port}`),
  OPS_PASSWORD: PASSWORD, NUXT_SESSION_PASSWORD: SESSION_PASSWORD,
}
const env = {
  ...lines, ...VALUES,
  // Set as in compose.yaml
  NODE_ENV: 'production', DATA_DIR: folder, STORE_URL: `sqlite:${join(folder, 'forms.db')}`,
  // Slack and the mail server are on loopback.
  SLACK_API_URL: slack.apiUrl, SMTP_CA: caPath,
}

const press = (card: SlackMessage, id: string) => slack.sockets.deliver(
  'interactive', blockActions(card, 'forward', id, slack.reviewer),
)
const textNow = async (card: SlackMessage) => blockText((await cardNow({ slack }, card)).blocks)
const forwarded = (card: SlackMessage) => until('the card forwarded', async () => (
  (await textNow(card)).includes('Sent to team@example.com')
))

it('the eight lines of the README are a service that decides on Slack, sends email, and keeps both over a restart', async () => {
  expect(Object.keys(lines)).toHaveLength(8)
  expect(Object.keys(VALUES).filter(name => !(name in lines))).toEqual([])
  let server = endAfterAll(await startServer(env))
  const id = await submitForm(server, { name: 'Ada Lovelace', message: 'Two seats' })
  const card = await cardOf({ slack }, id)
  expect(blockText(card.blocks)).toMatch(/Ada Lovelace[^]*Two seats/)
  await press(card, id)
  await forwarded(card)
  expect(smtp.emails.map(({ from, to }) => [from, to])).toEqual([['forms@example.com', ['team@example.com']]])
  expect(smtp.emails[0]!.source).toMatch(/Ada Lovelace[^]*Two seats/)

  const nextId = await submitForm(server, { name: 'Grace Hopper' })
  const nextCard = await cardOf({ slack }, nextId)
  await server.drain()
  expect(await server.stop()).toBe(0)
  server = endAfterAll(await startServer(env))
  const visitor = visit(server)
  expect((await visitor.signIn(PASSWORD)).status).toBe(200)
  const { rows } = await (await visitor.get('/api/submissions')).json() as { rows: { id: string }[] }
  expect(rows.map(row => row.id)).toEqual([nextId])
  const before = await textNow(card)
  await press(card, id)
  await press(nextCard, nextId)
  await forwarded(nextCard)
  await server.drain()
  expect(smtp.emails.map(({ source }) => source.includes(nextId))).toEqual([false, true])
  expect(await textNow(card)).toBe(before)
  expect(await server.stop()).toBe(0)
})

it('its set-up page says that no public URL is needed, and its example sends a form to the address that is open', async () => {
  const server = endAfterTest(await startServer(env))
  const { window: page } = endAfterTest(await startBrowser())
  const visitor = visit(server)
  await visitor.signIn(PASSWORD)
  await visitor.use(page)
  await page.goto(`${server.url}/setup`)
  await page.getByText('This service runs without a public URL').waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('before you create the apps')
  expect(await page.getByLabel('curl', { exact: true }).textContent()).toContain(`curl ${server.url}/api/form `)
})
