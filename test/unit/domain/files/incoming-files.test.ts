import { expect, test } from 'vitest'
import { IncomingFiles } from '../../../../server/domain/files/incoming-files'
import type { FileStore } from '../../../../server/ports/files'

const bytes = (text: string) => (async function* () { for (const part of text) yield Buffer.from(part) })()

function filesFor({ type = 'application/pdf' as string | null, types = ['image/*', 'application/pdf'], max = 2 } = {}) {
  const contents: string[] = []
  const erasedIds: string[] = []
  const store: FileStore = {
    write: async (_id, _index, content) => { contents.push(Buffer.concat(await Array.fromAsync(content)).toString()) },
    read: () => { throw new Error('Nobody reads.') },
    erase: async id => void erasedIds.push(id), idsBefore: async () => [],
    kindOf: async () => type === null ? null : { type, extension: 'any' }, nameOf: async name => name,
  }
  const files = new IncomingFiles('one', { max, maxBytes: 5, types }, 'somebody', store, null)
  return { contents, erasedIds, files }
}

test('a file is stored whole, with its size and digest', async () => {
  const { files, contents } = filesFor()
  await files.take({ field: 'cv', name: 'cv.pdf', content: bytes('12345') })
  expect(contents).toEqual(['12345'])
  expect(files.files).toEqual([{
    field: 'cv', name: 'cv.pdf', type: 'application/pdf', size: 5,
    sha256: '5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5',
  }])
})

test('an input that was left empty is no file; one byte too many, or one file, is refused and erased', async () => {
  const { files, erasedIds } = filesFor()
  await files.take({ field: 'cv', name: '', content: bytes('') })
  expect(files.files).toEqual([])
  await files.discard()
  expect(erasedIds).toEqual([])
  await files.take({ field: 'cv', name: 'a.pdf', content: bytes('1') })
  await expect(files.take({ field: 'cv', name: 'b.pdf', content: bytes('123456') })).rejects.toThrow('larger than')
  await files.take({ field: 'cv', name: 'b.pdf', content: bytes('1') })
  await expect(files.take({ field: 'cv', name: 'c.pdf', content: bytes('1') })).rejects.toThrow('at most 2 files')
  await files.discard()
  expect(erasedIds).toEqual(['one'])
})

test('where one file is taken, a second one is told so', async () => {
  const { files } = filesFor({ max: 1 })
  await files.take({ field: 'cv', name: 'a.pdf', content: bytes('1') })
  const second = files.take({ field: 'cv', name: 'b.pdf', content: bytes('1') })
  await expect(second).rejects.toThrow('There are too many files: send at most 1 file.')
})

test.each([
  ['../../etc/passwd', 'passwd'], ['C:\\fakepath\\cv.pdf', 'cv.pdf'], ['a\r\nSet-Cookie: b', 'a Set-Cookie: b'],
  ['', 'file'], ['..', 'file'], ['/', 'file'], ['数.pdf', '数.pdf'], ['\uD800.pdf', '\uFFFD.pdf'],
  [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(145)}….pdf`],
  [`${'a'.repeat(144)}${'🦊'.repeat(9)}.pdf`, `${'a'.repeat(144)}….pdf`],
])('the name %j reads as %j', async (name, readableName) => {
  const { files } = filesFor()
  await files.take({ field: 'cv', name, content: bytes('1') })
  expect(files.files[0]!.name).toBe(readableName)
})

test.each([
  ['image/png', ['image/*'], 'image/png'], ['image/svg+xml', ['image/*'], null], ['image/png', ['image/jpeg'], null],
  ['imageful/png', ['image/*'], null], ['text/plain', ['text/csv'], 'text/csv'], [null, ['image/*'], null],
])('what is %j by its content, where %j are taken, is %j', async (type, types, storedType) => {
  const { files } = filesFor({ type, types })
  const takenType = files.take({ field: 'cv', name: 'a', content: bytes('1') }).then(
    () => files.files[0]!.type, () => null,
  )
  expect(await takenType).toBe(storedType)
})
