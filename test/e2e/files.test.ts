import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, cardOf, click, deploy } from '../support/deployment'
import { endAfterAll, formsFile, sharedFolder } from '../support/lifetime'
import { until } from '../support/until'
import { kept, pdf, png, sendFiles } from '../support/uploads'
import { PASSWORD, visit } from '../support/visitor'

const MIB = 2 ** 20

/**
 * Number of 10 MB files (few in the full test run, 200 in `npm run soak`), and memory allowed for eight of them, MiB
 */
const [UPLOADS, SPARE_MIB] = [Number(process.env.UPLOADS ?? 16), 150]
const dir = sharedFolder()

const files = { max: 2, maxBytes: '3 MB', types: ['image/*', 'application/pdf'] }
const FORMS_CONFIG = formsFile({
  jobs: { name: 'Jobs', files, fields: { cv: 'Your CV' } }, mailed: { name: 'Mailed', files, endpoint: null },
  contact: { name: 'Contact' }, large: { name: 'Large', files: { max: 1 } },
})
const d = endAfterAll(await deploy({ FORMS_CONFIG, DATA_DIR: dir, TRUST_PROXY: '1', FILES_RATE_LIMIT: '100' }))
const ops = visit(d.server)
await ops.signIn(PASSWORD)

const send = (path: string, files: Parameters<typeof sendFiles>[3], headers?: Record<string, string>) => (
  sendFiles(d.server, `/api/form/${path}`, { name: 'Ada' }, files, headers)
)
const submitted = async (path: string, files: Parameters<typeof send>[1]) => {
  const { submissionId: id } = await (await send(path, files)).json() as { submissionId: string }
  return { id, card: await cardOf(d, id) }
}
/** Opens a link from this machine. */
const open = (link: string) => fetch(link.replace(d.env.NUXT_PUBLIC_SITE_URL!, d.server.url))
const linksIn = (text: string) => [...text.matchAll(/https:\/\/forms\.example\.com\/api\/files\/[^\s|>"\\]+/g)].map(
  ([link]) => link,
)
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

describe('a form with files', () => {
  const cv = pdf(2 * MIB + 1)

  test('shows them on its card and page, mails them, tells the endpoint where they are, and erases them', async () => {
    const { id, card } = await submitted('jobs', [
      { name: 'C:\\fakepath\\Lebenslauf "Ada" 数.pdf', content: cv }, { field: 'photo', name: 'me.png', content: png },
    ])
    const text = blockText(card.blocks)
    expect(text).toContain('Your CV')
    expect(text).toContain('Lebenslauf "Ada" 数.pdf (application/pdf, 2.0 MB)')
    const [first, second] = linksIn(JSON.stringify(card.blocks))
    const [document, picture] = await Promise.all([open(first!), open(second!)])
    expect(sha256(Buffer.from(await document.arrayBuffer()))).toBe(sha256(cv))
    expect(Object.fromEntries(document.headers)).toMatchObject({
      'content-type': 'application/pdf', 'content-length': String(cv.length), 'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="Lebenslauf _Ada_ _.pdf"; filename*=UTF-8\'\'Lebenslauf%20%22Ada%22%20%E6%95%B0.pdf',
      'content-security-policy': 'default-src \'none\'; sandbox', 'cache-control': 'private, no-store',
    })
    expect([picture.headers.get('content-type'), Buffer.from(await picture.arrayBuffer()).equals(png)]).toEqual(
      ['image/png', true],
    )
    for (const forged of [first!.replace('/0?', '/1?'), first!.slice(0, -1), first!.split('?')[0]!]) {
      expect((await open(forged)).status).toBe(404)
    }
    const page = await (await ops.get(`/api/submissions/${id}`)).json()
    expect(page.files).toEqual([
      { label: 'Your CV', name: 'Lebenslauf "Ada" 数.pdf', type: 'application/pdf', size: '2.0 MB',
        url: new URL(first!).pathname + new URL(first!).search, isPicture: false },
      expect.objectContaining({ label: 'photo', name: 'me.png', isPicture: true }),
    ])

    await click(d, card, 'forward', id)
    const [mail] = d.resend.requests.filter(({ path, body }) => path === '/emails' && body.includes(id))
    const { attachments, text: words } = JSON.parse(mail!.body)
    expect(attachments.map(({ filename }: { filename: string }) => filename)).toEqual(
      ['Lebenslauf "Ada" 数.pdf', 'me.png'],
    )
    expect(sha256(Buffer.from(attachments[0].content, 'base64'))).toBe(sha256(cv))
    expect(words).toContain('me.png (image/png, 70 bytes), attached')
    const told = JSON.parse(d.endpoint.requests.findLast(({ body }) => body.includes(id))!.body)
    expect(told).toEqual({ name: 'Ada', cv: [{
      name: 'Lebenslauf "Ada" 数.pdf', type: 'application/pdf', size: cv.length, sha256: sha256(cv), url: first,
    }], photo: [expect.objectContaining({ name: 'me.png', type: 'image/png', url: second })] })

    // A link works until the 7 days are over or the submission is erased.
    expect((await open(first!)).status).toBe(200)
    expect((await ops.delete(`/api/submissions/${id}`)).status).toBe(200)
    await d.server.drain()
    expect([(await open(first!)).status, (await open(second!)).status]).toEqual([410, 410])
    expect(await kept(dir, id)).toEqual([])
    expect(JSON.stringify((await cardNow(d, card)).blocks)).not.toMatch(/Lebenslauf|api\/files/)
  })

  test.each([['spam', 'spam'], ['forwarded, with nobody but the email to tell', 'forward']])(
    'has none any more once it is %s', async (_, action) => {
      const { id, card } = await submitted('mailed', [{ name: 'cv.pdf', content: cv }])
      const [link] = linksIn(JSON.stringify(card.blocks))
      await click(d, card, action, id)
      await d.server.drain()
      expect((await open(link!)).status).toBe(410)
      expect(await kept(dir, id)).toEqual([])
    },
  )
})

describe('what may not come in', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const TYPE = 'FILE_TYPE_NOT_ACCEPTED'
  const small = { name: 'cv.pdf', content: pdf(100) }

  test.each([
    ['a drawing with a script, called a picture', 'jobs', [{ name: 'a.png', content: SVG }], 415, TYPE],
    ['a program, called a document', 'jobs', [small, { name: 'a.pdf', content: 'MZ\u0000\u0000' }], 415, TYPE],
    ['one that is too large', 'jobs', [small, { name: 'a.pdf', content: pdf(3 * MIB + 1) }], 413, 'FILES_TOO_LARGE'],
    ['one too many', 'jobs', [small, small, small], 413, 'FILES_TOO_LARGE'],
    ['any, where a form takes none', 'contact', [small], 415, 'FILES_NOT_ACCEPTED'],
  ])('%s', async (_, path, files, status, code) => {
    const before = await kept(dir)
    const answer = await send(path, files)
    expect([answer.status, (await answer.json()).code]).toEqual([status, code])
    const page = await send(path, files, { 'accept': 'text/html', 'accept-language': 'de' })
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(await page.text()).toMatch(/<html lang="de"[^]*Datei/)
    expect(await kept(dir)).toEqual(before)
  })

  test('what a length of 4 GB announces: it is refused before anything is read', async () => {
    const socket = connect(Number(new URL(d.server.url).port), '127.0.0.1')
    socket.write(`POST /api/form/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: ${4 * 2 ** 30}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`)
    const [head] = await new Promise<[Buffer]>(resolve => socket.once('data', (...data) => resolve(data as [Buffer])))
    socket.destroy()
    expect(String(head)).toMatch(/^HTTP\/1\.1 413 /)
    expect(String(head)).toContain('BODY_TOO_LARGE')
  })

  test('more in an hour than one address may send', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.77' }
    const statuses: number[] = []
    // The announced size counts towards the limit, even if the upload is refused.
    while (!statuses.includes(429) && statuses.length < 60) {
      const answer = await send('jobs', [{ name: 'a.txt', content: pdf(3 * MIB).fill(0, 0, 9) }], headers)
      statuses.push(answer.status)
      if (answer.status === 429) expect((await answer.json()).code).toBe('TOO_MANY_BYTES')
    }
    expect(statuses.slice(0, -1).every(status => status === 415)).toBe(true)
    expect(statuses.at(-1)).toBe(429)
    expect((await send('jobs', [{ name: 'a.txt', content: '\u0000' }])).status).toBe(415)
  })
})

/** Returns the memory of the server, MiB. */
async function memory(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(d.server.pid)])
  return Number(stdout) / 1024
}

test(`${UPLOADS} files of 10 MB, eight at once, take less than ${SPARE_MIB} MiB, and arrive as they were sent`, async () => {
  const content = pdf(10 * MIB)
  const before = await memory()
  let most = before
  const left = Array.from({ length: UPLOADS }, (_, index) => index).values()
  const ids: string[] = []
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (const index of left) {
      const headers = { 'x-forwarded-for': `198.51.${100 + (index >> 7)}.${index & 127}` }
      const answer = await send('large', [{ name: 'large.pdf', content }], headers)
      ids.push((await answer.json()).submissionId)
      most = Math.max(most, await memory())
    }
  }))
  const { files: [file] } = await (await ops.get(`/api/submissions/${ids.at(-1)!}`)).json()
  expect(sha256(Buffer.from(await (await fetch(d.server.url + file.url)).arrayBuffer()))).toBe(sha256(content))
  expect(most - before).toBeLessThan(SPARE_MIB)
  await Promise.all(ids.map(id => ops.delete(`/api/submissions/${id}`)))
  await until('nothing kept of them', async () => (
    (await Promise.all(ids.map(id => kept(dir, id)))).every(({ length }) => length === 0)
  ))
})

/** Starts to send a file and stops in the middle, with a part of it stored. */
async function half(): Promise<() => void> {
  const socket = connect(Number(new URL(d.server.url).port), '127.0.0.1')
  socket.on('error', () => {})
  const head = '--b\r\nContent-Disposition: form-data; name="cv"; filename="half.pdf"\r\n\r\n'
  socket.write(`POST /api/form/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * MIB}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n${head}`)
  const before = (await kept(dir)).length
  socket.write(pdf(2 * MIB))
  await until('a part of it', async () => (await kept(dir)).length > before)
  return () => socket.destroy()
}

describe('half a file', () => {
  test('is erased when its sender leaves', async () => {
    const before = await kept(dir)
    const leave = await half()
    leave()
    await until('nothing of it', async () => (await kept(dir)).join() === before.join())
  })
})
