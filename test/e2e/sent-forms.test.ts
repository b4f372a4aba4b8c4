import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardOf, click } from '../support/deployment'
import { until } from '../support/until'
import { openWebsite, type Website } from '../support/website'

/** Attributes of the form on a page of the website, and its fields */
const PAGES: Readonly<Record<string, [attributes: string, fields: string]>> = {
  '/latin': ['accept-charset="windows-1252"', '<input name="straße" value="Jürgen €">'],
  '/latin-multipart': [
    'accept-charset="windows-1252" enctype="multipart/form-data"', '<input name="straße" value="Jürgen €">',
  ],
  '/russian': ['accept-charset="koi8-r"', '<input name="имя" value="Катя"><input type="hidden" name="_charset_">'],
  '/russian-multipart': [
    'accept-charset="koi8-r" enctype="multipart/form-data"',
    '<input name="имя" value="Катя"><input type="hidden" name="_charset_">',
  ],
  '/text': ['enctype="text/plain"', '<input name="name" value="Ada">'],
  '/empty': ['', '<input name="name"><input type="checkbox" name="terms"><input type="hidden" name="_next" value="x">'],
}

const page = ({ d }: Website, path: string) => {
  const [attributes, fields] = PAGES[path] ?? ['', '']
  return `<meta charset="utf-8"><form action="${d.server.url}/api/form/open" method="post" ${attributes}>${fields}<button>Send</button></form>`
}

const { d, shop, browser } = await openWebsite(
  origin => ({ listed: { name: 'Listed', allowedOrigins: [origin] }, open: { name: 'Open' } }), page,
)
const urlOf = (form: string) => `${d.server.url}/api/form/${form}`
const TEXT = 'Ada & Co = 1'

/** Forwards a submission; returns the body that the endpoint gets. */
async function forwarded(id: string): Promise<unknown> {
  await click(d, await cardOf(d, id), 'forward', id)
  await d.server.drain()
  return JSON.parse(d.endpoint.requests.findLast(({ headers }) => String(headers['webhook-id']).includes(id))!.body)
}

interface FetchOptions { body: string, credentials?: 'include', headers?: Record<string, string> }

/** Sends a form from a page with `fetch`; returns the answer that the page can read, or the name of the error. */
const fetchFrom = (tab: Page, url: string, options: FetchOptions) => tab.evaluate(
  ([address, init]) => fetch(address, init).then(answer => answer.json(), (error: Error) => error.name),
  [url, { method: 'POST', ...options }] as const,
)

/** Ways in which a page sends JSON without its type, as scripts that get `url` and `body` */
const UNTYPED = {
  'sendBeacon': 'navigator.sendBeacon(url, body)',
  'fetch in no-cors mode': 'fetch(url, { method: "POST", mode: "no-cors", body })',
  'a blob without a type': 'fetch(url, { method: "POST", body: new Blob([body]) })',
  'jQuery': 'fetch(url, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } })',
}

describe('in a browser', () => {
  let tab: Page
  beforeAll(async () => {
    tab = await browser.newPage()
    await tab.goto(shop.url)
  })

  test.each(Object.entries(UNTYPED))('JSON that %s sends is read', async (way, script) => {
    const [url, body] = [urlOf('open'), JSON.stringify({ name: TEXT, way })].map(text => JSON.stringify(text))
    await tab.evaluate(`{ const [url, body] = [${url}, ${body}]; ${script} }`)
    const texts = await until('its card', async () => {
      const cards = (await d.slack.messages()).map(({ blocks }) => blockText(blocks ?? []))
      const ownCards = cards.filter(text => text.includes(way))
      return ownCards.length > 0 && ownCards
    })
    expect(texts).toEqual([expect.stringContaining(TEXT)])
  })

  test('with credentials a listed website reads the answer, errors too, and others read none', async () => {
    const options = { credentials: 'include', headers: { 'content-type': 'application/json' } } as const
    const send = (from: Page, form: string, body = '{"name":"Ada"}') => (
      fetchFrom(from, urlOf(form), { ...options, body })
    )
    expect(await send(tab, 'listed')).toMatchObject({ status: 'received' })
    expect(await send(tab, 'listed', '[')).toMatchObject({ code: 'INVALID_SUBMISSION' })
    expect(await send(tab, 'open')).toBe('TypeError')
    expect(await fetchFrom(tab, urlOf('open'), { body: '{"name":"Ada"}' })).toMatchObject({ status: 'received' })
    const other = await browser.newPage()
    await other.goto(shop.url.replace('127.0.0.1', 'localhost'))
    expect(await send(other, 'listed')).toBe('TypeError')
  })

  test.each([
    ['/latin', { straße: 'Jürgen €' }], ['/latin-multipart', { straße: 'Jürgen €' }],
    ['/russian', { имя: 'Катя', _charset_: 'KOI8-R' }], ['/russian-multipart', { имя: 'Катя', _charset_: 'KOI8-R' }],
  ])('a form in another charset reaches the endpoint as it was typed, from %s', async (path, fields) => {
    await tab.goto(shop.url + path)
    await tab.getByRole('button', { name: 'Send' }).click()
    await tab.waitForURL(/\/api\/thanks/)
    expect(await forwarded(new URL(tab.url()).searchParams.get('id')!)).toEqual(fields)
  })

  test.each([
    ['/empty', 422, 'Nothing is filled in.'], ['/text', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('a page says what is wrong with the form of %s', async (path, status, text) => {
    await tab.goto(shop.url + path)
    const answered = tab.waitForResponse(urlOf('open'))
    await tab.getByRole('button', { name: 'Send' }).click()
    expect((await answered).status()).toBe(status)
    await tab.getByText(text).waitFor({ state: 'attached' })
  })
})

describe('by a program', () => {
  const post = async (body: RequestInit['body'], headers: Record<string, string>) => {
    const answer = await fetch(urlOf('open'), { method: 'POST', body, headers })
    return { code: answer.status, id: (await answer.json() as { submissionId: string }).submissionId }
  }

  test('compressed JSON is read; what would be too large is 413, and other encodings are 415', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const { id } = await post(gzipSync('{"10":"a","name":"Ada"}'), headers)
    expect(await forwarded(id)).toEqual({ 10: 'a', name: 'Ada' })
    const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20))
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(bomb, headers)))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([413]))
    expect(await post('{}', { ...headers, 'content-encoding': 'br' })).toMatchObject({ code: 415 })
  })

  test('what controls the page of an HTML form is data in JSON', async () => {
    const data = { name: 'Ada', _next: 'https://a.example/', _subject: 'A post', _replyto: 'ada@example.com' }
    const { id } = await post(JSON.stringify(data), { 'content-type': 'application/json' })
    expect(await forwarded(id)).toEqual(data)
  })

  test('an empty object in JSON is a submission', async () => {
    const headers = { 'content-type': 'application/json', 'accept': 'text/html' }
    expect(await post('{}', headers)).toMatchObject({ code: 200 })
  })

  test.each(['webhook-id', 'svix-id'])('a webhook that is sent again is one submission by its %s', async (header) => {
    const send = (key: string) => post('{"name":"Ada"}', { 'content-type': 'application/json', [header]: key })
    const [first, again, other] = [await send(`${header}_1`), await send(`${header}_1`), await send(`${header}_2`)]
    expect([again.id === first.id, other.id === first.id]).toEqual([true, false])
  })
})
