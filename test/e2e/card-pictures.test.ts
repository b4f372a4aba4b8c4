import { rm } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { startBrowser } from '../support/browser'
import { cardNow, cardOf, click, deploy } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll, formsFile, sharedFolder } from '../support/lifetime'
import { startServer } from '../support/server'
import type { SlackMessage } from '../support/slack'
import { until } from '../support/until'
import { kept, pdf, png, sendFiles } from '../support/uploads'
import { PASSWORD, visit } from '../support/visitor'

const dir = sharedFolder()
const FORMS_CONFIG = formsFile({
  shown: { name: 'Shown', files: { show: true, types: ['image/*', 'application/pdf'] } },
  listed: { name: 'Listed', files: {} },
})
const discord = endAfterAll(await startDiscord())
const browser = endAfterAll(await startBrowser())
const d = endAfterAll(await deploy({
  FORMS_CONFIG, DATA_DIR: dir, CARD_INTERVAL_MS: '0', RETRY_BASE_MS: '1', ...discord.env,
}))
afterEach(() => { d.slack.fault = () => undefined })

const FILES = [{ name: 'cv.pdf', content: pdf(100) }, { name: 'me.png', content: png }]
const pictureOf = ({ blocks }: SlackMessage) => blocks.filter(({ type }) => type === 'image')
const linksOf = ({ blocks }: SlackMessage) => JSON.stringify(blocks).match(/\/api\/files\//g)?.length ?? 0
/** Fetches the address on a card as platforms do, but from the server on this machine. */
const fetched = (url: string) => fetch(url.replace('https://forms.example.com', d.server.url))
const onDiscord = (id: string) => until('the Discord card', () => (
  discord.messages().find(message => JSON.stringify(message).includes(id))
))

async function submitted(form = 'shown') {
  const answer = await sendFiles(d.server, `/api/form/${form}`, { name: 'Ada' }, FILES)
  const { submissionId: id } = await answer.json() as { submissionId: string }
  await d.server.drain()
  return { id, card: await cardOf(d, id) }
}

test('small pictures are on cards while they wait, where their form shows them, and on no decided one', async () => {
  const { id, card } = await submitted()
  const [picture] = pictureOf(card)
  expect(picture).toMatchObject({ alt_text: 'Picture: file 2' })
  const url = picture!.image_url as string
  expect(url).toMatch(RegExp(`^https://forms\\.example\\.com/api/files/${id}/1\\?key=`))
  const { embeds } = await onDiscord(id)
  expect(embeds[0]).toMatchObject({ fields: expect.anything(), image: { url } })
  const served = await fetched(url)
  expect([served.status, served.headers.get('content-type'), served.headers.get('content-disposition')]).toEqual(
    [200, 'image/png', expect.stringContaining('attachment')],
  )
  await click(d, card, 'forward', id)
  await d.server.drain()
  expect(pictureOf(await cardNow(d, card))).toEqual([])
  expect(JSON.stringify((await onDiscord(id)).embeds)).not.toContain('"image"')
})

const PAGE = '<!doctype html><script>document.title = "run"</script>'
const SCRIPT = '/*\u0000*/=1;document.title="run"//'

test.each([
  ['a PNG that goes on as a page', Buffer.concat([png, Buffer.from(PAGE)]), 'image/png'],
  ['a GIF that is a script too', Buffer.from(`GIF89a${SCRIPT}`, 'latin1'), 'image/gif'],
  ['a JPEG that goes on as a page', Buffer.from(`\u00FF\u00D8\u00FF\u00E0JFIF${PAGE}`, 'latin1'), 'image/jpeg'],
])('%s comes in as a picture, and a browser runs nothing of it', async (_, content, type) => {
  const answer = await sendFiles(d.server, '/api/form/shown', { name: 'Ada' }, [{ name: 'me.html', content }])
  const { submissionId: id } = await answer.json() as { submissionId: string }
  const url = pictureOf(await cardOf(d, id))[0]!.image_url.replace('https://forms.example.com', d.server.url)
  expect(Object.fromEntries((await fetch(url)).headers)).toMatchObject({
    'content-type': type, 'x-content-type-options': 'nosniff',
    'content-security-policy': 'default-src \'none\'; sandbox',
    'content-disposition': expect.stringMatching(/^attachment;/), 'cross-origin-resource-policy': 'same-origin',
  })
  // Opened as a page, the file is downloaded. Loaded as a script, it is refused, even if a page allows all scripts.
  const page = await browser.newPage({ bypassCSP: true })
  await Promise.all([page.waitForEvent('download'), page.goto(url).catch(() => {})])
  await page.goto(`${d.server.url}/api/thanks`)
  const load = `new Promise((resolve) => {
    const script = Object.assign(document.createElement('script'), { src: ${JSON.stringify(url)} })
    script.onload = script.onerror = ({ type }) => resolve(type)
    document.body.append(script)
  })`
  expect([await page.evaluate(load), await page.title()]).toEqual(['error', expect.not.stringMatching(/^run$/)])
})

test('a GIF that calls itself a page has the name of a GIF on the card, in the email, at the endpoint and by its link', async () => {
  const word = `=?utf-8?B?${Buffer.from('.html').toString('base64')}?=`
  const files = ['invoice.html', `${word}.HTM`].map(name => ({ name, content: `GIF89a${PAGE}` }))
  const answer = await sendFiles(d.server, '/api/form/listed', { name: 'Ada' }, files)
  const { submissionId: id } = await answer.json() as { submissionId: string }
  const card = await cardOf(d, id)
  expect(blockText(card.blocks)).toContain('invoice.gif (image/gif')
  const [link] = JSON.stringify(card.blocks).match(/https:[^"|>]*\/0\?key=[\w-]+/)!
  expect((await fetched(link!)).headers.get('content-disposition')).toContain('filename="invoice.gif"')
  await click(d, card, 'forward', id)
  const mail = d.resend.requests.find(({ path, body }) => path === '/emails' && body.includes(id))!
  const told = d.endpoint.requests.findLast(({ body }) => body.includes(id))!
  const names = (JSON.parse(mail.body) as { attachments: { filename: string }[] }).attachments.map(
    ({ filename }) => filename,
  )
  expect(names).toEqual(['invoice.gif', `${word.replace('=?', '⟨=?⟩')}.gif`])
  for (const text of [JSON.stringify(card.blocks), mail.body, told.body]) expect(text).not.toMatch(/\.html?\b|"=\?utf/i)
})

test('a form that does not say so has links alone', async () => {
  const { id, card } = await submitted('listed')
  expect([pictureOf(card), linksOf(card)]).toEqual([[], 2])
  expect(JSON.stringify((await onDiscord(id)).embeds)).not.toContain('"image"')
})

test('a picture that somebody erases goes from the cards, and its address is 410', async () => {
  const { id, card } = await submitted()
  const url = pictureOf(card)[0]!.image_url as string
  const ops = visit(d.server)
  await ops.signIn(PASSWORD)
  expect((await ops.delete(`/api/submissions/${id}`)).status).toBe(200)
  await d.server.drain()
  expect([pictureOf(await cardNow(d, card)), linksOf(await cardNow(d, card))]).toEqual([[], 0])
  expect((await fetched(url)).status).toBe(410)
})

test('a file that its storage lost holds the email up, until somebody who was told forwards the rest', async () => {
  const { id, card } = await submitted()
  const [link] = JSON.stringify(card.blocks).match(/https:[^"|>]*\/0\?key=[\w-]+/)!
  await Promise.all((await kept(dir, id)).filter(path => path.includes(`${id}/0/`)).map(path => rm(path)))
  const opened = await fetched(link!)
  expect([opened.status, await opened.json()]).toEqual([410, expect.objectContaining({ code: 'FILE_LOST' })])
  const mails = () => d.resend.requests.filter(({ path, body }) => path === '/emails' && body.includes(id))
  await click(d, card, 'forward', id)
  const failed = await until('the email to be given up', async () => {
    const now = blockText((await cardNow(d, card)).blocks)
    return now.includes('Forward again') && now
  })
  expect(failed).toContain('Email failed: A file of the submission is not in its storage any more.')
  expect(failed).toContain('The email then goes without that file')
  expect(mails()).toEqual([])
  await click(d, card, 'forward', id)
  await d.server.drain()
  const { attachments, text } = JSON.parse(mails().map(({ body }) => body).join()) as Record<string, string>
  expect(attachments).toEqual([expect.objectContaining({ filename: 'me.png' })])
  expect(text).toContain('cv.pdf (application/pdf, 100 bytes), which its storage has lost')
  expect(text).toContain('me.png (image/png, 70 bytes), attached')
})

test('a card whose picture Slack cannot fetch is shown without it, and with everything else', async () => {
  d.slack.fault = ({ path, body }) => path === '/api/chat.postMessage' && body.includes('image_url')
    ? { status: 200, body: '{"ok":false,"error":"invalid_blocks"}' }
    : undefined
  const { card } = await submitted()
  expect([pictureOf(card), linksOf(card)]).toEqual([[], 2])
  expect(blockText(card.blocks)).toMatch(/Ada[^]*me\.png/)
})

test('where nobody knows a public address, cards list the files and show none', async () => {
  await d.server.kill()
  d.server = await startServer({ ...d.env, NUXT_PUBLIC_SITE_URL: 'http://localhost:3000', NODE_ENV: 'development' })
  const { card } = await submitted()
  expect([pictureOf(card), linksOf(card)]).toEqual([[], 2])
})
