import { describe, expect, test } from 'vitest'
import { HOSTILE_NEXT, SHOP } from '../fixtures/hostile-next'
import { blockText } from '../support/block-kit'
import { cardOf, click } from '../support/deployment'
import { looks } from '../support/looks'
import { until } from '../support/until'
import { openWebsite, type Website } from '../support/website'

/** Accept header of a browser that submits a form */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const shopPage = ({ d, shop }: Website, path: string) => `
  <h1>${path.startsWith('/done') ? 'The shop thanks you' : 'The shop'}</h1>
  <form action="${d.server.url}/api/form/contact" method="post"${path === '/file' ? ' enctype="multipart/form-data"' : ''}>
    <input name="name" aria-label="Name"><input type="file" name="cv" aria-label="CV">
    ${path === '/next' ? `<input type="hidden" name="_next" value="${shop.url}/done">` : ''}<button>Send</button>
  </form>`

const { d, shop, browser } = await openWebsite(origin => ({
  contact: { name: 'Contact', allowedOrigins: [SHOP, origin], texts: { en: { thanks: 'Thanks a <lot>!' } } },
  posts: { name: 'Posts', endpoint: null, subject: 'Application of {name}' },
  away: { name: 'Away', redirect: 'https://elsewhere.example/thanks' },
}), shopPage)

/** Sends a form as a page without scripts does. */
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => fetch(
  `${d.server.url}/api/form${path}`,
  { method: 'POST', redirect: 'manual', headers: { accept: ACCEPT, ...headers }, body: new URLSearchParams(fields) },
)

describe('a browser without scripts', () => {
  test('sends a form, is thanked with its id and a way back; a form that was wrong is still there', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
    await page.goto(`${shop.url}/file`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('CV').setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('CV') })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Files cannot be sent').waitFor()
    await page.goBack()
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada')
    await page.getByLabel('CV').setInputFiles([])
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Thanks a <lot>!' }).waitFor()
    expect(page.url()).toMatch(/\/api\/thanks\?form=contact&id=[\da-f-]{36}$/)
    expect(await page.locator('code').textContent()).toBe(new URL(page.url()).searchParams.get('id'))
    await page.getByRole('link', { name: `Back to ${new URL(shop.url).host}` }).click()
    await page.getByRole('heading', { name: 'The shop' }).waitFor()
    await page.goto(`${shop.url}/next`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'The shop thanks you' }).waitFor()
  })
})

test('the pages that thank and refuse are accessible, and as wide as a phone', async () => {
  // The checks run scripts in the page. The pages themselves have none.
  const page = await browser.newPage()
  await page.goto(`${d.server.url}/api/thanks?form=contact&id=0b1f2c3d-0000-4000-8000-000000000000`)
  await looks(page, 'thanks')
  await page.goto(`${shop.url}/file`)
  await page.getByLabel('CV').setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('CV') })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('For whoever runs').click()
  await looks(page, 'problem')
})

describe('a form that a browser sends without a script', () => {
  test('is answered in its language by a page that runs nothing and tells nothing', async () => {
    const sent = await submit('/posts', { name: 'Ada' })
    expect([sent.status, await sent.text()]).toEqual([303, ''])
    const page = await fetch(new URL(sent.headers.get('location')!, d.server.url), { headers: {
      'accept-language': 'de-CH, en;q=0.5', 'referer': 'https://anywhere.example/"><script>',
    } })
    const html = await page.text()
    expect(html).toContain('<html lang="de" dir="ltr">')
    expect(html).toContain('Zurück zu anywhere.example')
    expect(html).not.toMatch(/Ada|<script/)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(html).not.toMatch(/ style=|<(?:img|link|iframe)/)
  })

  test('is answered in the language of its address, whatever the browser prefers', async () => {
    const french = { 'accept-language': 'fr' }
    const to = (await submit('/posts?lang=de', { name: 'Ada' }, french)).headers.get('location')!
    expect(to).toMatch(/^\/api\/thanks\?form=posts&lang=de&id=/)
    const page = await fetch(new URL(to, d.server.url), { headers: french })
    expect(await page.text()).toContain('<html lang="de" dir="ltr">')
    const problem = await submit('/posts?lang=de', { name: 'Ada' }, { ...french, 'content-type': 'text/plain' })
    expect(await problem.text()).toContain('Das hat nicht geklappt')
    const unknown = await submit('/posts?lang=%22%3E', { name: 'Ada' }, { ...french, 'content-type': 'text/plain' })
    expect(await unknown.text()).toContain('<html lang="fr" dir="ltr">')
  })

  test.each([
    '?id=<b>', '', '?form=nothing&id=0b1f', '?form=__proto__', '?id=a&id=b',
  ])('is thanked at %j too', async (query) => {
    const page = await fetch(`${d.server.url}/api/thanks${query}`)
    expect(page.status).toBe(200)
    expect(await page.text()).not.toMatch(/<b>|0b1f|<code>/)
  })

  test('leads back to a website that may send it, whatever page it is opened from', async () => {
    const back = async (referer: string) => (
      /<a class="back" href="([^"]*)"/.exec(await (await fetch(`${d.server.url}/api/thanks?form=contact`, {
        headers: { referer },
      })).text())?.[1]
    )
    expect(await back(`${SHOP}/contact?a=1`)).toBe(`${SHOP}/contact?a=1`)
    expect(await back(`${SHOP}.evil.example/contact`)).toBe(`${SHOP}/`)
    expect(await back('javascript:alert(1)')).toBe(`${SHOP}/`)
  })

  test('goes to nobody that is not listed, and is taken all the same', async () => {
    // Sends the same form again and again: every repetition redirects to the same page as the first request.
    const headers = { 'idempotency-key': 'hostile-next', 'origin': SHOP }
    const answers = await Promise.all(
      HOSTILE_NEXT.map(async _next => submit('/contact', { name: 'Ada', _next }, headers)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    const own = new Set(answers.map(({ headers }) => headers.get('location')!))
    expect([...own]).toEqual([expect.stringMatching(/^\/api\/thanks\?form=contact&id=[\da-f-]{36}$/)])
    const lines = () => d.server.output().split('\n').filter(line => line.includes('"form.next-refused"'))
    const said = HOSTILE_NEXT.filter(next => next.trim() !== '')
    // Log output may arrive after the answer.
    await until('the log to tell of each', () => lines().length >= said.length)
    expect(lines()).toHaveLength(said.length)
    expect(lines().join('\n')).not.toContain('evil')
  })

  test('goes where its page says on a listed website, or where its form says', async () => {
    const next = { name: 'Ada', _next: `${SHOP}/danke?a=1` }
    const to = async (sent: Promise<Response>) => (await sent).headers.get('location')
    expect(await to(submit('/contact', next))).toBe(`${SHOP}/danke?a=1`)
    // A form caught by the honeypot redirects like any other.
    expect(await to(submit('/contact', { ...next, _gotcha: 'x' }))).toBe(`${SHOP}/danke?a=1`)
    expect(await to(submit('/away', next))).toBe('https://elsewhere.example/thanks')
    expect(await to(submit('', next))).toMatch(/^\/api\/thanks\?id=/)
  })

  test('is refused on a page with the status that a script gets', async () => {
    for (const [path, headers, status, code] of [
      ['/contact', { origin: 'https://evil.example' }, 403, 'ORIGIN_NOT_ALLOWED'], ['/<b>', {}, 404, 'UNKNOWN_FORM'],
      ['/posts', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ] as const) {
      const answer = await submit(path, { name: 'Ada' }, headers)
      const html = await answer.text()
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
      expect(html).toContain(code)
      expect(html).not.toContain('<b>')
    }
  })

  test.each([
    '*/*', 'application/json, text/html', 'application/json', 'text/html;q=0.5, */*', '', 'text/html;q=0',
    'application/*, text/html;q=0.9', 'application/json, text/html, */*;q=0.1',
  ])('is answered as JSON to who accepts %j', async (accept) => {
    const answer = await submit('/posts', { name: 'Ada', _next: `${SHOP}/` }, { accept })
    expect([answer.status, Object.keys(await answer.json() as object)]).toEqual([200, ['status', 'submissionId']])
  })

  test('says what it is about, and who is to be answered, beside its data', async () => {
    const { submissionId: id } = await (await submit('/posts', {
      name: 'Ada', _subject: 'A post', _replyto: 'ada@example.com', _next: SHOP, _other: 'data',
    }, { accept: '*/*' })).json() as { submissionId: string }
    const card = await cardOf(d, id)
    const text = blockText(card.blocks)
    for (const shown of ['Application of Ada', 'ada@example.com', '_other']) expect(text).toContain(shown)
    expect(text).not.toMatch(/_subject|_replyto|_next|A post/)
    await click(d, card, 'forward', id)
    const [email] = (await d.resend.emails()).filter(({ html }) => html.includes(id))
    expect(email).toMatchObject({ subject: '[Posts] Application of Ada', reply_to: ['ada@example.com'] })
  })
})
