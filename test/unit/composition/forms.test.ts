import { expect, test } from 'vitest'
import { z } from 'zod'
import { createForms, rulesOf, sampleUpload } from '../../../server/composition/forms'
import type { Config } from '../../../server/config'

const reviewersOfMissing = (reviewers?: string[], forms: Record<string, string[] | undefined> = {}) => createForms({
  people: { reviewers, claimMs: null }, endpoint: {}, mail: { to: 'team@example.com' },
  forms: Object.fromEntries(Object.entries(forms).map(([key, reviewers]) => [key, { name: key, reviewers }])),
} as unknown as Config, {} as never, [{ key: 'slack', channel: { schema: z.string() } }]).of('left').reviewers

test('who decides what is left of a form: REVIEWERS, else whoever decides some form, else everybody', () => {
  expect(reviewersOfMissing(['ops:ada'], { contact: ['ops:grace'] })).toEqual(['ops:ada'])
  const lists = { contact: ['ops:grace'], jobs: ['ops:grace', 'ops:x'], open: undefined }
  expect(reviewersOfMissing(undefined, lists)).toEqual(['ops:grace', 'ops:x'])
  expect(reviewersOfMissing(undefined, { open: undefined })).toBe(undefined)
})

test('what a form takes of files is named as browsers know it, in its HTML and on the sandbox', () => {
  const forms = { jobs: { name: 'Jobs', files: { max: 1, maxBytes: 1, types: ['audio/wav'] } } }
  const input = { multiple: false, accept: 'audio/wav,audio/x-wav' }
  expect(rulesOf('jobs', { form: {}, forms } as unknown as Config)).toMatchObject({ files: input })
  expect(sampleUpload(forms)).toMatchObject(input)
})
