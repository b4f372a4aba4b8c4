import { expect, test } from 'vitest'
import { seriousFindings } from '../support/accessibility'
import { blockText } from '../support/block-kit'
import { cardOf, sendForm } from '../support/deployment'
import { looks } from '../support/looks'
import { kept, pdf, png, sendFiles } from '../support/uploads'
import { openWebsite, unchecked } from '../support/website'

const { d, shop, browser, dir } = await openWebsite(() => ({
  jobs: { name: 'Jobs', extra: 'refuse', fields: {
    name: { label: 'Your name', type: 'text' }, cv: { label: 'Your CV', type: 'file', required: true },
    photo: { type: 'file' },
  } },
  offers: { name: 'Offers', fields: { sketch: { type: 'file' } }, files: { max: 1, types: ['image/png'] } },
  any: { name: 'Any', files: { types: ['application/pdf'] } },
}), async ({ copied }) => unchecked(await copied('jobs')))

const read = async (path: string) => await (await fetch(`${d.server.url}${path}`)).json()
const cv = { name: 'cv.pdf', content: pdf(100) }
const send = (files: Parameters<typeof sendFiles>[3], form = 'jobs') => (
  sendFiles(d.server, `/api/form/${form}`, { name: 'Ada' }, files)
)

test('a file that is needed and missing is asked for without a script, sent, thanked for and on the card', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false, locale: 'de-DE' })
  await page.goto(shop.url)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('li').first().waitFor()
  expect(await page.locator('li').allTextContents()).toEqual(['Your CV Bitte wählen Sie eine Datei aus.'])
  expect(await kept(dir)).toEqual([])
  await page.goBack()
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ada')
  await page.getByLabel('Your CV').setInputFiles({ name: 'cv.pdf', mimeType: 'text/plain', buffer: cv.content })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Vielen Dank!' }).waitFor()
  const card = await cardOf(d, new URL(page.url()).searchParams.get('id')!)
  expect(blockText(card.blocks)).toMatch(/Your CV\ncv\.pdf \(application\/pdf/)
})

test('a file where the form has no field for it is 422, as is text in the place of one; nothing is stored', async () => {
  const before = await kept(dir)
  const refused = async (answer: Response) => [answer.status, (await answer.json()).fields]
  const file = { cv: 'Please choose a file.' }
  expect(await refused(await send([cv, { ...cv, field: 'other' }]))).toEqual(
    [422, { other: 'This form has no such field.' }],
  )
  expect(await refused(await send([{ ...cv, field: 'name' }]))).toEqual(
    [422, { name: 'This must be a single text.', ...file }],
  )
  expect(await refused(await sendForm(d.server, { name: 'Ada', cv: 'cv.pdf' }, {}, '/jobs'))).toEqual([422, file])
  expect(await kept(dir)).toEqual(before)
  expect((await send([cv, { field: 'photo', name: 'a.png', content: png }, cv])).status).toBe(200)
  // A form that does not restrict its other file fields accepts files in any field.
  expect((await send([{ field: 'other', name: 'a.png', content: png }], 'offers')).status).toBe(200)
})

test('what is said of a form tells which fields are for files, and how they are sent', async () => {
  const schema = await read('/api/form/jobs/schema')
  const files = {
    title: 'Your CV', type: 'array', minItems: 1, maxItems: 5,
    items: { type: 'string', format: 'binary', maxLength: 10 * 2 ** 20 },
    description: expect.stringContaining('image/*, application/pdf'),
  }
  expect(schema).toMatchObject({ required: ['cv'], additionalProperties: false, properties: { cv: files } })

  const { paths } = await read('/api/openapi.json')
  const bodyOf = (form: string) => paths[`/api/form/${form}`].post.requestBody.content
  const contentType = 'image/*, application/pdf'
  expect(bodyOf('jobs')).toEqual({ 'multipart/form-data': {
    schema: expect.objectContaining({ required: ['cv'], properties: expect.objectContaining({ cv: files }) }),
    encoding: { cv: { contentType }, photo: { contentType } },
  } })
  const offers = bodyOf('offers')
  expect(offers['application/json'].schema.properties).toEqual({})
  expect(offers['multipart/form-data'].schema.properties).toMatchObject({
    sketch: { maxItems: 1, items: { contentMediaType: 'image/png' } },
  })
  expect(bodyOf('any')['multipart/form-data']).toMatchObject({
    schema: { properties: { files: { type: 'array' } } }, encoding: { files: { contentType: 'application/pdf' } },
  })
})

test('its HTML is seen at work, accessible, on every screen', async () => {
  const page = await browser.newPage()
  await page.goto(`${d.server.url}/api/form/jobs/embed`)
  expect(await seriousFindings(page)).toEqual([])
  await looks(page, 'embed-files')
  // The browser asks for required values before it sends anything.
  await page.getByRole('button', { name: 'Send' }).click()
  expect(await page.locator('input[name=cv]:invalid').count()).toBe(1)
})
