import { PassThrough, Readable } from 'node:stream'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { H3Event } from 'h3'
import { afterEach, expect, test, vi } from 'vitest'
import { BodyMemory } from '../../../../server/http/body/body-memory'
import { readUpload } from '../../../../server/http/body/upload'
import type { TakeFile } from '../../../../server/ports/files'
import { until } from '../../../support/until'

const MIB = 2 ** 20
const rule = { max: 20, maxBytes: 4 * MIB, types: ['text/plain'] }

type Part = readonly [disposition: string, content: string]

function* encoded(parts: readonly Part[]) {
  for (const [disposition, content] of parts) yield `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
  yield '--b--\r\n'
}

const memory = () => new BodyMemory(64 * MIB, MIB)

/** Reads a form from a request body. */
function readForm(
  body: Iterable<string> | AsyncIterable<string>, take: TakeFile, timeoutMs = 60_000, uploads = memory(),
  remoteAddress = '203.0.113.1', contentType = 'multipart/form-data; boundary=b',
) {
  const limits = { memory: memory(), uploads, timeoutMs, trustedProxies: 0 }
  const headers = { 'content-type': contentType }
  const req = Object.assign(new PassThrough(), { headers, complete: true, socket: { remoteAddress } })
  Readable.from(body).pipe(req)
  const event = { node: { req, res: { setHeader: () => {} } }, context: {} } as unknown as H3Event
  return readUpload(event, { rule, take, count: async () => {} }, MIB, limits)
}

/** Sends parts and reads them as a form; resolves with the fields and the files. */
async function upload(parts: readonly Part[]) {
  const files: object[] = []
  const fields = await readForm(encoded(parts), async ({ content, ...file }) => {
    files.push({ ...file, content: Buffer.concat(await Array.fromAsync(content)).toString() })
  })
  return { fields, files }
}

test.each<[string, Part[], object, object[]]>([
  ['fields by name, several of one name together, and files', [
    ['name="name"', 'Ada'], ['name="tag"', 'a'], ['name="cv"; filename="cv.txt"', 'I write.'], ['name="tag"', 'b'],
  ], { name: 'Ada', tag: ['a', 'b'] }, [{ field: 'cv', name: 'cv.txt', content: 'I write.' }]],
  ['quotes and line breaks in names, as browsers write them', [
    ['name="a%22b%0D%0Ac%20"', 'x'], ['name="%22%0a"; filename="my %22cv%22.txt"', 'y'],
  ], { 'a"b\r\nc%20': 'x' }, [{ field: '"\n', name: 'my "cv".txt', content: 'y' }]],
  ['a file in a field without a name', [['filename="cv.txt"', 'x']], {}, [{ field: '', name: 'cv.txt', content: 'x' }]],
])('a form has %s', async (_, parts, fields, files) => expect(await upload(parts)).toEqual({ fields, files }))

test.each([1, 2, 3, 5, 65_536])('a form in chunks of %i bytes is whole, whatever its texts', async (size) => {
  const files: string[] = []
  const body = [...encoded([
    ['name="a"', '\r'], ['name="cv"; filename="cv.txt"', '\r\n--\r'], ['name="b"', '\r\n--a\r\n--'],
    ['name="cv"; filename="empty.txt"', ''], ['name="c"', ''], ['name="cv"; filename="-.txt"', '\r\n\r'],
  ])].join('')
  const chunks = Array.from(body.matchAll(new RegExp(`[^]{1,${size}}`, 'g')), ([chunk]) => chunk)
  expect(await readForm(chunks, async ({ content }) => {
    await setImmediate()
    files.push(Buffer.concat(await Array.fromAsync(content)).toString())
  })).toEqual({ a: '\r', b: '\r\n--a\r\n--', c: '' })
  expect(files).toEqual(['\r\n--\r', '', '\r\n\r'])
})

test.each([
  ['base64', 'SsO8\r\ncmdlbg=='], ['quoted-printable', 'J=C3=BC=\r\nrgen'], ['binary', 'Jürgen'],
])('a file in %s, of a form without its boundary in the head, is whole in chunks of any size', async (encoding, content) => {
  const body = [...encoded([
    [`name="a"\r\nContent-Transfer-Encoding: ${encoding}`, content],
    [`name="cv"; filename="größe.txt"\r\nContent-Transfer-Encoding: ${encoding}`, content],
  ])].join('')
  for (const size of [1, 2, 3, 7, 65_536]) {
    const files: string[] = []
    const chunks = Array.from(body.matchAll(new RegExp(`[^]{1,${size}}`, 'g')), ([chunk]) => chunk)
    const fields = await readForm(chunks, async (file) => {
      files.push(file.name, Buffer.concat(await Array.fromAsync(file.content)).toString())
    }, 60_000, memory(), '203.0.113.1', 'multipart/form-data')
    expect([fields, files]).toEqual([{ a: 'Jürgen' }, ['größe.txt', 'Jürgen']])
  }
})

test.each([
  ['without a boundary anywhere', 'x'.repeat(MIB), /names no boundary/],
  ['with a file that is no base64', [...encoded([['name="cv"; filename="a"\r\nContent-Transfer-Encoding: base64', '<x>']])].join(''), /base64/],
])('a form %s is refused with why', async (_, body, reason) => {
  await expect(readForm([body], async ({ content }) => {
    await Array.fromAsync(content)
  }, 60_000, memory(), '203.0.113.1', 'multipart/form-data')).rejects.toThrow(reason)
})

test('names of fields count among what a form may hold', async () => {
  const parts = (count: number) => Array.from({ length: count }, (_, index) => (
    [`name="${'n'.repeat(10_000)}${index}"`, 'x'] as const
  ))
  expect(Object.keys((await upload(parts(100))).fields)).toHaveLength(100)
  await expect(upload(parts(105))).rejects.toThrow('The body is larger than 1048576 bytes.')
})

test('what belongs to no part ends with what a form with its files may have', async () => {
  function* preamble() {
    for (let count = 0; count < 100; count++) yield 'x'.repeat(MIB)
  }
  await expect(readForm(preamble(), async () => {})).rejects.toThrow('With its files the form is larger than')
})

test('a form that is refused is answered once what it began to store is over', async () => {
  let isOver = false
  const parts = encoded([['name="cv"; filename="cv.txt"', 'I write.'], ['name="a"', 'x'.repeat(MIB)]])
  const outcome = readForm(parts, async ({ content }) => {
    await Array.fromAsync(content).catch(() => { /* The form was refused in the meantime. */ })
    // Buffered data is read before these turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    isOver = true
  }).catch((error: Error) => [error.message, isOver])
  expect(await outcome).toEqual([expect.stringContaining('The body is larger than'), true])
})

test('more parts than any form has are not looked at', async () => {
  const parts = (count: number) => Array.from({ length: count }, () => ['name="a"', 'x'] as const)
  expect((await upload(parts(5000))).fields.a).toHaveLength(5000)
  await expect(upload(parts(5001))).rejects.toThrow('The form has more than 5000 fields and files.')
})

const filesOf = (bytes: number, count: number) => Array.from({ length: count }, (_, index) => (
  [`name="cv"; filename="${index}.txt"`, 'x'.repeat(bytes)] as const
))
const FIELD = ['name="a"', 'x'] as const

test.each([
  ['alone', filesOf(60_000, 700)], ['between fields', filesOf(60_000, 700).flatMap(file => [FIELD, file])],
] as const)('small files that wait for the first one to be stored stay where they are, %s', async (_, parts) => {
  let sentBytes = 0
  function* counted() {
    for (const part of encoded(parts)) {
      sentBytes += part.length
      yield part
    }
  }
  let [fileCount, sentDuringFirst] = [0, 0]
  await readForm(counted(), async ({ content }) => {
    // Buffered data flows before the next turn of the event loop.
    if (fileCount++ === 0) {
      await setImmediate()
      sentDuringFirst = sentBytes
    }
    await Array.fromAsync(content)
  })
  expect(sentDuringFirst).toBeGreaterThan(0)
  expect(sentDuringFirst).toBeLessThan(2 * MIB)
  expect(fileCount).toBe(700)
})

test('one client has so many uploads at once, and room for others when they are over, however they end', async () => {
  const [uploads, firstFile] = [new BodyMemory(16 * MIB, MIB), Promise.withResolvers<never>()]
  const send = (content: string) => readForm(encoded([['name="cv"; filename="cv.txt"', content]]), async (file) => {
    await Array.fromAsync(file.content)
    if (content === 'wait') await firstFile.promise
  }, 60_000, uploads).then(() => 'read', (error: Error & { status?: number }) => error.status ?? error.message)
  const waitingForms = [send('wait'), send('wait')]
  expect(await send('x')).toBe(429)
  firstFile.reject(new Error('No room.'))
  expect(await Promise.all(waitingForms)).toEqual(['No room.', 'No room.'])
  expect(await Promise.all([send('x'), send('x')])).toEqual(['read', 'read'])
})

test('uploads that have been arriving for more than a second make room for others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const [uploads, end] = [new BodyMemory(16 * MIB, MIB), Promise.withResolvers<null>()]
  async function* slow() {
    yield '--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n\r\nI write.'
    await end.promise
  }
  const take: TakeFile = async ({ content }) => void await Array.fromAsync(content).catch(() => {})
  const from = (address: string, body: Parameters<typeof readForm>[0]) => readForm(body, take, 60_000, uploads, address)
    .then(() => 'read', (error: { status?: number }) => error.status)
  const slowForms = [1, 2, 3].flatMap(host => [1, 2].map(() => from(`203.0.113.${host}`, slow())))
  const quick = () => from('203.0.113.9', encoded([['name="cv"; filename="cv.txt"', 'x']]))
  expect(await quick()).toBe(503)
  vi.advanceTimersByTime(1001)
  expect(await quick()).toBe('read')
  expect(await Promise.race(slowForms)).toBe(503)
  end.resolve(null)
  await Promise.all(slowForms)
})

test('what a form that is refused is still storing ends at once, with why', async () => {
  let endReason: unknown
  const [firstPart, lastPart] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
  async function* sendParts() {
    yield '--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n\r\nI write.'
    await firstPart.promise
    for (let size = 0; size < 90 * MIB; size += MIB) yield 'x'.repeat(MIB)
    await lastPart.promise
  }
  const form = readForm(sendParts(), async ({ content }) => {
    firstPart.resolve(null)
    await Array.fromAsync(content).catch((error: Error) => { endReason = error.message })
  })
  const [reason, answer] = ['With its files the form is larger than', form.catch((error: Error) => error.message)]
  expect(await until('the end', () => endReason)).toContain(reason)
  expect(await answer).toContain(reason)
  lastPart.resolve(null)
})

afterEach(() => void vi.useRealTimers())

test('a sender has its time anew for every further mebibyte, and no more without one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const turns = async () => { for (let turn = 0; turn < 20; turn++) await setImmediate() }
  async function* sendParts() {
    yield '--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n\r\n'
    for (const bytes of [MIB, MIB, MIB, 1]) {
      yield 'x'.repeat(bytes)
      await turns()
      vi.advanceTimersByTime(40)
    }
  }
  let size = 0
  const outcome = readForm(sendParts(), async ({ content }) => {
    for await (const chunk of content) size += chunk.length
  }, 50)
  await expect(outcome).rejects.toMatchObject({ status: 408 })
  expect(size).toBeGreaterThan(3 * MIB)
})

test('the time that a storage takes is not its sender\'s', async () => {
  const storedNames: string[] = []
  await readForm(encoded(filesOf(200_000, 3)), async ({ name, content }) => {
    await setTimeout(100)
    await Array.fromAsync(content)
    storedNames.push(name)
  }, 20)
  expect(storedNames).toEqual(['0.txt', '1.txt', '2.txt'])
})
