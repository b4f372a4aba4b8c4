import { expect, test } from 'vitest'
import { isLinked } from '../../../../server/domain/outbox/deliver'
import { attachedFiles, mailed, mailedFields, withFiles } from '../../../../server/domain/outbox/email'
import { orderedObject } from '../../../../server/domain/json'
import { FILE_LOST } from '../../../../server/ports/delivery'
import type { StoredFile } from '../../../../server/ports/files'
import { completeForm } from '../../../fakes/forms'
import type { Submission } from '../../../../server/ports/submission'
import { submissionOf } from '../../../fixtures/views'
import { only } from '../../../fakes/only'
import type { FormFiles } from '../../../../server/domain/context'

const MIB = 2 ** 20
const file = (name: string, mib: number, field = 'cv'): StoredFile => (
  { field, name, type: 'application/pdf', size: mib * MIB, sha256: 'ab' }
)
const files = only<FormFiles>({
  url: (id: string, index: number) => `https://forms.example.com/api/files/${id}/${index}?key=k`,
  read: () => (async function* () { yield Buffer.from('x') })(),
  withLost: async (submission: Submission) => ({
    ...submission, envelope: { files: submission.envelope!.files!.map((each, index) => (
      index === 0 ? { ...each, lost: true as const } : each
    )) },
  }),
})
const unlinkedFiles = only<FormFiles>({ ...files, url: () => null })
const form = completeForm({ labels: { cv: 'Your CV' }, endpoint: null })
const endpoint = { host: 'crm', url: 'https://crm', post: async () => ({ ok: true as const, value: { status: 200 } }) }
const submissionWith = (...storedFiles: StoredFile[]) => (
  { ...submissionOf({ name: 'Ada', cv: 'as text' }), envelope: { files: storedFiles } }
)

test('an email has the files that fit, in their order, and links to the others until they end', () => {
  const submission = submissionWith(file('a.pdf', 20), file('b.pdf', 20), file('c.pdf', 8))
  expect(attachedFiles(submission, files).map(({ filename }) => filename)).toEqual(['a.pdf', 'c.pdf'])
  expect(mailedFields(submission, form, files).map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Your CV: a.pdf (application/pdf, 20 MB), attached',
    'Your CV: b.pdf (application/pdf, 20 MB), until 1 Jan 1970, 00:00 UTC at https://forms.example.com/api/files/one/1?key=k',
    'Your CV: c.pdf (application/pdf, 8 MB), attached',
  ])
  expect(mailedFields(submission, form, unlinkedFiles)[1]!.value).toBe(
    'b.pdf (application/pdf, 20 MB), too large to be attached',
  )
})

test('a lost file is left out once people were told, leaves its room to the others, and is named', async () => {
  const submission = submissionWith(file('a.pdf', 20), file('b.pdf', 20), file('c.pdf', 8))
  const failure = { at: 1, event: 'failed', kind: 'email', reason: FILE_LOST } as const
  const retriedSubmission = { ...submission, history: [...submission.history, { ...failure, again: 2 }] }
  expect(await mailed(submission, files)).toEqual(submission)
  expect(await mailed(retriedSubmission, files)).toEqual(retriedSubmission)
  const otherSubmission = { ...submission, history: [{ ...failure, reason: 'Resend answered 500.', again: null }] }
  expect(await mailed(otherSubmission, files)).toBe(otherSubmission)
  const notifiedSubmission = await mailed({ ...submission, history: [{ ...failure, again: null }] }, files)
  expect(attachedFiles(notifiedSubmission, files).map(({ filename }) => filename)).toEqual(['b.pdf', 'c.pdf'])
  const [field] = mailedFields(notifiedSubmission, form, files)
  expect(field!.value).toBe('a.pdf (application/pdf, 20 MB), which its storage has lost')
})

test('data is kept for a link that somebody got, and for nothing else', () => {
  const [small, large] = [submissionWith(file('a.pdf', 1)), submissionWith(file('a.pdf', 29))]
  expect([isLinked(small, form, files), isLinked(large, form, files)]).toEqual([false, true])
  expect(isLinked(small, completeForm({ endpoint }), files)).toBe(true)
  expect(isLinked(small, completeForm({ endpoint }), unlinkedFiles)).toBe(false)
  expect(isLinked(submissionOf({}), completeForm({ endpoint }), files)).toBe(false)
})

test('an endpoint finds files in their fields, beside what else these hold, and nothing else without files', () => {
  expect(withFiles(submissionWith(file('a.pdf', 1), file('b.pdf', 1, '__proto__')), files)).toEqual(Object.fromEntries([
    ['name', 'Ada'],
    ['cv', ['as text', { name: 'a.pdf', type: 'application/pdf', size: MIB, sha256: 'ab', url: files.url('one', 0) }]],
    ['__proto__', [expect.objectContaining({ name: 'b.pdf' })]],
  ]))
  const numbered = { ...submissionWith(file('a.pdf', 1, '1')), data: orderedObject([['z', 'a'], ['2', 'b']]) }
  expect(Object.keys(withFiles(numbered, files) as object)).toEqual(['z', '2', '1'])
  const typedSubmission = { ...submissionWith(file('a.pdf', 1)), data: { cv: ['as', 'text'] } }
  expect(withFiles(typedSubmission, files)).toEqual({ cv: ['as', 'text', expect.objectContaining({ name: 'a.pdf' })] })
  const { data } = submissionOf({ name: 'Ada' })
  expect(withFiles({ ...submissionOf({}), data }, files)).toBe(data)
})
