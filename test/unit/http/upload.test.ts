import { PassThrough } from 'node:stream'
import type { H3Event } from 'h3'
import { expect, test } from 'vitest'
import { BodyMemory } from '../../../server/http/body-limits'
import { readUpload } from '../../../server/http/upload'
import type { IncomingFile } from '../../../server/ports/files'

const MIB = 2 ** 20
const rule = { max: 5, maxBytes: MIB, types: ['text/plain'] }

/** Sends parts, each its disposition and its content, and reads them as a form; resolves with that and the files. */
async function upload(parts: readonly (readonly [disposition: string, content: string])[]) {
  const memory = () => new BodyMemory(64 * MIB, MIB)
  const limits = { memory: memory(), uploads: memory(), timeoutMs: 60_000, trustedProxies: 0 }
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const req = Object.assign(new PassThrough(), { headers, complete: true, socket: { remoteAddress: '203.0.113.1' } })
  req.end([
    ...parts.map(([disposition, content]) => (
      `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
    )),
    '--b--\r\n',
  ].join(''))
  const files: object[] = []
  const take = async ({ content, ...file }: IncomingFile) => {
    files.push({ ...file, content: Buffer.concat(await Array.fromAsync(content)).toString() })
  }
  const event = { node: { req, res: { setHeader: () => {} } }, context: {} } as unknown as H3Event
  const fields = await readUpload(event, { rule, take, count: async () => {} }, MIB, limits)
  return { fields, files }
}

test('a form has its fields by name, several of one name together, and its files', async () => {
  expect(await upload([
    ['name="name"', 'Ada'], ['name="tag"', 'a'], ['name="cv"; filename="cv.txt"', 'I write.'], ['name="tag"', 'b'],
  ])).toEqual({
    fields: { name: 'Ada', tag: ['a', 'b'] }, files: [{ field: 'cv', name: 'cv.txt', content: 'I write.' }],
  })
})

test('a file in a field without a name is a file', async () => {
  expect(await upload([['filename="cv.txt"', 'I write.']])).toEqual({
    fields: {}, files: [{ field: '', name: 'cv.txt', content: 'I write.' }],
  })
})

test('more parts than any form has are not looked at', async () => {
  const parts = (count: number) => Array.from({ length: count }, () => ['name="a"', 'x'] as const)
  expect((await upload(parts(5000))).fields.a).toHaveLength(5000)
  await expect(upload(parts(5001))).rejects.toThrow('The form has more than 5000 fields and files.')
})
