import { expect, test } from 'vitest'
import { SubmissionFiles } from '../../../../server/domain/files/submission-files'
import { FileMissing, type FileStore } from '../../../../server/ports/files'
import { UnreadableRecord, type SubmissionStore } from '../../../../server/ports/store'
import type { Submission } from '../../../../server/ports/submission'
import { testContext } from '../../../fakes/context'
import { submissionOf } from '../../../fixtures/views'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'

const HOUR_MS = 3_600_000

function filesOf(
  submissions: Record<string, Submission | Error>, secret = 'secret',
  { refusedIds = [] as string[], isTaking = true } = {},
  read: (index: number) => AsyncGenerator<Buffer> = async function* () { yield Buffer.from('x') },
) {
  const erasedIds: string[] = []
  const work: Promise<unknown>[] = []
  const askedTimes: number[] = []
  let now = 10 * HOUR_MS
  const files: FileStore = {
    write: async () => {}, read: (_, index) => read(index), kindOf: async () => null,
    nameOf: async name => name,
    erase: async (id) => {
      if (refusedIds.includes(id)) throw new Error('The storage is busy.')
      erasedIds.push(id)
    },
    idsBefore: async (time) => {
      askedTimes.push(time)
      return ['open', 'spam', 'never']
    },
  }
  const get = async (id: string) => {
    const submission = submissions[id] ?? null
    if (submission instanceof Error) throw submission
    return submission
  }
  return {
    erasedIds, askedTimes, pass: (ms: number) => { now += ms }, done: () => Promise.all(work),
    files: new SubmissionFiles(testContext({
      store: only<SubmissionStore>({ get }),
      runtime: only<Runtime>({ uuid: () => 'id', now: () => now, background: task => void work.push(task) }),
    }), { files, isTaking, limiter: null, secret, siteUrl: null }),
  }
}

test('a file that its storage does not have is lost, one that it does not give now is not', async () => {
  const { files } = filesOf({}, 'secret', {}, async function* (index) {
    yield Buffer.from('x')
    if (index === 1) throw new FileMissing()
    if (index === 2) throw new Error('Too slow.')
  })
  const { envelope } = await files.withLost({
    ...submission, envelope: { subject: 'Engine', files: [file, file, file] },
  })
  expect(envelope).toEqual({ subject: 'Engine', files: [file, { ...file, lost: true }, file] })
  const read = async (index: number) => Array.fromAsync(files.read('open', index, file))
  await expect(read(1)).rejects.toMatchObject({ code: 'FILE_LOST' })
  await expect(read(2)).rejects.toMatchObject({
    code: 'FILES_UNAVAILABLE', message: 'The storage for files cannot be reached. Try again in a moment.',
  })
})

const file = { field: 'cv', name: 'cv.pdf', type: 'application/pdf', size: 1, sha256: 'ab' }
const submission = { ...submissionOf({ name: 'Ada' }), envelope: { files: [file] } }
const trace = { ...submission, data: null }
const keyOf = (path: string) => new URL(path, 'http://x').searchParams.get('key')!

test('a file opens with the key of its own address alone, and is gone with the form data', async () => {
  const { files } = filesOf({ open: submission, spam: trace })
  expect(files.path('open', 0)).toMatch(/^\/api\/files\/open\/0\?key=[\w-]{43}$/)
  const key = keyOf(files.path('open', 0))
  expect((await files.open('open', 0, key)).file).toBe(file)
  for (const wrongKey of [
    '', 'x', key.slice(0, -1), keyOf(files.path('open', 1)), keyOf(files.path('spam', 0)),
    keyOf(filesOf({}, 'other').files.path('open', 0)),
  ]) await expect(files.open('open', 0, wrongKey)).rejects.toMatchObject({ code: 'NO_SUCH_FILE' })
  for (const [id, index] of [['open', 1], ['spam', 0], ['never', 0]] as const) {
    await expect(files.open(id, index, keyOf(files.path(id, index)))).rejects.toMatchObject({ code: 'FILE_GONE' })
  }
  expect(files.url('open', 0)).toBeNull()
})

test('once an hour, what has been there for an hour and belongs to no form data is erased', async () => {
  const { files, erasedIds, askedTimes, pass, done } = filesOf({ open: submission, spam: trace })
  files.sweep()
  files.sweep()
  await done()
  expect([askedTimes, erasedIds]).toEqual([[9 * HOUR_MS], ['spam', 'never']])
  pass(HOUR_MS)
  files.sweep()
  await done()
  expect(askedTimes).toEqual([9 * HOUR_MS, 10 * HOUR_MS])
})

test('files stay of what cannot be read, and neither that nor what a storage refuses keeps others', async () => {
  const submissions = { open: new UnreadableRecord('open'), spam: trace }
  const { files, erasedIds, done } = filesOf(submissions, 'secret', { refusedIds: ['spam'] })
  files.sweep()
  await done()
  expect(erasedIds).toEqual(['never'])
})

test('where no form takes files any more, those go whose submission is known to have no form data', async () => {
  const { files, erasedIds, done } = filesOf({ open: submission, spam: trace }, 'secret', { isTaking: false })
  files.sweep()
  await done()
  expect(erasedIds).toEqual(['spam'])
})
