import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { fits, openPage, screenshot, startBrowser } from '../support/browser'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { startServer } from '../support/server'
import { png, sendFiles } from '../support/uploads'

const DRAWING = resolve(import.meta.dirname, '../../docs/sample/drawing.png')
const FORMS = resolve(import.meta.dirname, '../../docs/sample/demo.json')

const browser = endAfterAll(await startBrowser())
const dir = sharedFolder()
const server = await startServer({
  NODE_ENV: 'development', DATA_DIR: join(dir, 'data'), FORMS_CONFIG: FORMS, SPAM_HOLD: '1h',
  NUXT_PUBLIC_SITE_URL: 'http://localhost:3000',
})
afterAll(() => server.kill())
const { page, problems } = await openPage(browser)
endAfterAll(page)
afterAll(() => expect(problems).toEqual([]))

/** Returns the natural width of the picture once loaded; 0 if it cannot be shown. */
const width = async (of: ReturnType<Page['locator']>) => {
  await of.scrollIntoViewIfNeeded()
  return of.evaluate<number, { decode(): Promise<void>, naturalWidth: number }>(
    image => image.decode().then(() => image.naturalWidth, () => 0),
  )
}

test('a file sent at the sandbox: card and page show it, spam does not, and once it is erased its link says so', async () => {
  await page.goto(`${server.url}/sandbox`)
  await page.getByTestId('send-form').click()
  await page.getByText('With a file it is sent to the form Orders.').waitFor()
  await page.getByTestId('send-form-files').setInputFiles(DRAWING)
  await screenshot(page, 'send-form-files')
  await page.getByTestId('send-form-submit').click()
  const card = page.getByTestId('room-triage').getByTestId('card').filter({ hasText: 'drawing.png' })
  await card.waitFor()
  expect(await card.getByTestId('card-title').textContent()).toContain('Orders')
  const picture = card.getByRole('img', { name: 'Picture: file 1' })
  expect(await width(picture)).toBe(480)
  await screenshot(page, 'sandbox-files')
  await page.setViewportSize({ width: 320, height: 640 })
  await picture.scrollIntoViewIfNeeded()
  await fits(page)
  await screenshot(page, 'sandbox-files-320')
  await page.setViewportSize({ width: 1280, height: 800 })

  const { messages } = await (await fetch(`${server.url}/api/sandbox/state`)).json()
  const [id] = JSON.stringify(messages).match(/[\da-f]{8}-[\da-f-]{27}/)!
  await page.goto(`${server.url}/submissions/${id}`)
  expect(await width(page.getByRole('img', { name: 'Picture: drawing.png' }))).toBe(480)
  await screenshot(page, 'submission-files')

  await page.goto(`${server.url}/sandbox`)
  await card.getByTestId('action-spam').click()
  for (const room of ['triage', 'sales']) {
    await page.getByTestId(`room-${room}`).getByText('Marked as spam by').waitFor()
  }
  expect(await page.getByRole('img', { name: /Picture/ }).count()).toBe(0)

  const at = `${server.url}/api/submissions/${id}`
  const { files: [file] } = await (await fetch(at)).json() as { files: { url: string }[] }
  expect((await fetch(at, { method: 'DELETE', headers: { 'content-type': 'application/json' } })).status).toBe(200)
  const link = server.url + file!.url
  const before = problems.length
  expect((await page.goto(link))?.status()).toBe(410)
  expect(problems.splice(before)).toEqual([expect.stringContaining('410')])
  expect(await page.getByRole('heading').textContent()).toBe('This file cannot be opened')
  await page.getByText('it is erased with the data of its submission').waitFor()
  await screenshot(page, 'file-gone')
  expect(await (await fetch(link)).json()).toMatchObject({ code: 'FILE_GONE' })
})

test('a storage that takes no files is told of by the status, until it takes one again', async () => {
  const uploads = join(dir, 'data/uploads')
  const sent = { email: 'ada@example.com' }
  const send = async () => (
    (await sendFiles(server, '/api/form/orders', sent, [{ name: 'a.png', content: png }])).status
  )
  const part = async () => {
    const { parts } = await (await fetch(`${server.url}/api/status`)).json() as { parts: { key: string }[] }
    return parts.find(({ key }) => key === 'files')
  }
  await rm(uploads, { recursive: true })
  await writeFile(uploads, 'no folder')
  expect(await send()).toBe(503)
  const reason = expect.stringMatching(/^A file could not be stored \(\w+\)\. Check .*DATA_DIR/) as string
  expect(await part()).toMatchObject({ label: 'File storage', state: 'failing', lastError: { reason } })
  await rm(uploads)
  expect(await send()).toBe(200)
  expect(await part()).toMatchObject({ state: 'ok' })
})
