import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { problemsOf, PRODUCTION } from '../../fixtures/config/env'
import { sharedFolder } from '../../support/lifetime'

const dir = sharedFolder()

const form = (files: object = { maxBytes: '1 MB' }) => {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify({ jobs: { name: 'Jobs', files } }))
  return { ...PRODUCTION, FORMS_CONFIG: path }
}
const SECRET = { NUXT_SESSION_PASSWORD: 'x'.repeat(32) }
const BLOB = { BLOB_READ_WRITE_TOKEN: 'vercel_blob_rw_Store_secret' }

test('where no form takes files, nothing is needed for them, and those of before are found where they are', () => {
  expect(readConfig(PRODUCTION).files).toEqual({ rateLimitMb: 500, secret: undefined, storage: { kind: 'disk' } })
  for (const env of [BLOB, { VERCEL: '1', CRON_SECRET: 'x'.repeat(16) }]) {
    expect(readConfig({ ...PRODUCTION, ...env }).files.storage).toBeNull()
  }
})

test('a form that takes files keeps them where the agent does', () => {
  expect(readConfig({ ...form(), ...SECRET }).files.storage).toEqual({ kind: 'disk' })
  expect(readConfig({ ...form(), ...SECRET, ...BLOB, FILES_ACCESS: 'private' }).files.storage).toMatchObject({
    kind: 'blob',
  })
})

test('a form that takes more at once than an address may send in an hour is refused at the start', () => {
  const problems = (files: object, env: object) => problemsOf({
    ...form(files), ...SECRET, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com', ...env,
  })
  const large = { max: 20, maxBytes: '25 MB' }
  expect(problems(large, {})).toEqual([
    'The form jobs takes up to 501 MB at once (files.max times files.maxBytes, and its fields), but FILES_RATE_LIMIT lets an address send 500 MB in an hour. Set it to 501 or more, or have the form take less.',
  ])
  expect(problems(large, { FILES_RATE_LIMIT: '501' })).toEqual([])
  expect(problems(large, { FILES_RATE_LIMIT: '0' })).toEqual([])
})

test.each([
  ['without a secret for links', {}, undefined, /^NUXT_SESSION_PASSWORD is missing, but a form takes files/],
  ['in a store that is public', { ...SECRET, ...BLOB }, undefined, /FILES_ACCESS is public/],
  ['that fit into no email, without links', SECRET, {}, /^NUXT_PUBLIC_SITE_URL is missing/],
  [
    'on a host without a disk', { ...SECRET, VERCEL: '1', CRON_SECRET: 'x'.repeat(16) }, undefined,
    /no place for them here/,
  ],
])('files %s are refused at the start', (_, env, files, problem) => {
  const { NUXT_PUBLIC_SITE_URL: _site, ...rest } = form(files) as Record<string, string>
  expect(problemsOf({ ...rest, ...env })).toEqual([expect.stringMatching(problem)])
})
