import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { deploy, submitForm } from '../support/deployment'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { startProxy } from '../support/proxy'
import { startServer } from '../support/server'
import { blockActions, inChannel, interact, type Block, type SlackMessage } from '../support/slack'
import { until } from '../support/until'
import { kept, png, sendFiles } from '../support/uploads'

/** Channel that the Slack emulator creates as #random */
const RANDOM = 'C000000002'
const dir = sharedFolder()
const path = join(dir, 'forms.json')

const configure = (forms: object) => writeFileSync(path, JSON.stringify(forms))
const hr = () => ({
  hr: { name: 'Applications', channels: { slack: RANDOM }, to: ['hr@example.com'], endpoint: `${crm.url}/hr` },
})

const crm = endAfterAll(await startProxy())
configure(hr())
const d = endAfterAll(await deploy({ FORMS_CONFIG: path, DATA_DIR: dir }))

async function restart(changes: Record<string, string> = {}): Promise<void> {
  await d.server.stop()
  d.server = await startServer({ ...d.env, ...changes })
}

const send = (form: string, data: object) => submitForm(d.server, data, `/${form}`)

const cardIn = async (channel: string, id: string) => (
  (await d.slack.messages(channel)).find(({ blocks }) => JSON.stringify(blocks).includes(id))
)

async function forward(channel: string, card: SlackMessage, id: string): Promise<void> {
  await interact(d.server.url, inChannel(blockActions(card, 'forward', id, d.slack.reviewer), channel))
  await d.server.drain()
}

const emailsAbout = async (id: string) => (await d.resend.emails()).filter(({ html }) => html.includes(id))

it('a submission of a form that was removed goes nowhere: its card says what to change, and it is forwarded once that is done', async () => {
  const id = await send('hr', { name: 'Ada', salary: 'confidential' })
  const card = await until('the card', () => cardIn(RANDOM, id))
  configure({})
  await restart()
  await forward(RANDOM, card, id)
  const refused = (await cardIn(RANDOM, id))!
  expect(blockText(refused.blocks)).toContain('Email failed: The form “hr” is not in forms.config.ts (or FORMS_CONFIG) any more')
  expect(blockText(refused.blocks)).toContain('Failed Form Submission: hr')
  expect(refused.blocks.filter(({ type }) => type === 'actions')).toHaveLength(2)
  expect([await d.resend.emails(), d.endpoint.requests, crm.requests]).toEqual([[], [], []])

  configure(hr())
  await restart()
  await forward(RANDOM, refused, id)
  expect((await emailsAbout(id)).map(({ to }) => to)).toEqual([['hr@example.com']])
  expect(crm.requests).toHaveLength(1)
  expect(d.endpoint.requests).toEqual([])
})

it('files of a form that takes none any more are mailed and open until their data goes, and then go with it', async () => {
  configure({ hr: { ...hr().hr, endpoint: null, files: { max: 1 } } })
  await restart()
  const sent = await sendFiles(d.server, '/api/form/hr', { name: 'Ada' }, [{ name: 'me.png', content: png }])
  const { submissionId: id } = await sent.json() as { submissionId: string }
  const card = await until('the card', () => cardIn(RANDOM, id))
  configure({ hr: { ...hr().hr, endpoint: null } })
  await restart()
  const [link] = /https:\/\/forms\.example\.com\/api\/files\/[^\s|>"\\]+/.exec(JSON.stringify(card.blocks))!
  const opened = await fetch(link.replace(d.env.NUXT_PUBLIC_SITE_URL!, d.server.url))
  expect([opened.status, Buffer.from(await opened.arrayBuffer()).equals(png)]).toEqual([200, true])
  await forward(RANDOM, card, id)
  const mailed = d.resend.requests.map(({ body }) => body).filter(body => body.includes(id))
  expect(mailed.map(body => (JSON.parse(body) as Block).attachments)).toEqual([
    [expect.objectContaining({ filename: 'me.png', content: png.toString('base64') })],
  ])
  expect(await kept(dir, id)).toEqual([])
})
