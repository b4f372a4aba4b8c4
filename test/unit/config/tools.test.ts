import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { problemsOf } from '../../fixtures/config/env'

const DEVELOPMENT = { NODE_ENV: 'development' }
const ON_VERCEL = { ...DEVELOPMENT, VERCEL: '1', CRON_SECRET: 'c'.repeat(32) }
const BLOB = { BLOB_READ_WRITE_TOKEN: 'vercel_blob_rw_Store_secret' }
const S3 = {
  FILES_S3_ENDPOINT: 'http://127.0.0.1:9000', FILES_S3_BUCKET: 'forms', FILES_S3_ACCESS_KEY_ID: 'key',
  FILES_S3_SECRET_ACCESS_KEY: 'secret',
}

describe('the files of the agent', () => {
  test('are on disk, open and small by default', () => {
    expect(readConfig(DEVELOPMENT).tools.files).toEqual({
      storage: { kind: 'disk' }, access: 'public', maxBytes: 1_048_576,
    })
  })

  test('are in Vercel Blob by its token alone, and in S3 before that', () => {
    expect(readConfig({ ...ON_VERCEL, ...BLOB, FILES_ACCESS: 'private' }).tools.files).toMatchObject({
      storage: { kind: 'blob', token: BLOB.BLOB_READ_WRITE_TOKEN }, access: 'private',
    })
    expect(readConfig({ ...DEVELOPMENT, ...BLOB, ...S3 }).tools.files).toMatchObject({
      storage: { kind: 's3', endpoint: S3.FILES_S3_ENDPOINT, bucket: 'forms', region: undefined },
    })
  })

  test('do not exist on Vercel without a storage of their own', () => {
    expect(readConfig(ON_VERCEL).tools.files).toBeNull()
  })

  test.each(Object.keys(S3))('in S3 need %s with the others', (name) => {
    const { [name as keyof typeof S3]: _, ...otherVariables } = S3
    expect(problemsOf({ ...DEVELOPMENT, ...otherVariables })).toEqual([
      expect.stringMatching(new RegExp(`^${name} is missing, but other variables of the S3 storage are set`)),
    ])
  })
})

test('by default keywords choose the tools, and nothing is kept', () => {
  expect(readConfig(DEVELOPMENT).tools.selection).toEqual({
    embeddingModel: undefined, rerankerModel: undefined, enrichDescriptions: false, embeddingCache: undefined,
  })
})

test('synonyms need a reranker, and a cache embeddings', () => {
  expect(problemsOf({ ...DEVELOPMENT, TOOLS_ENRICH_DESCRIPTIONS: '1', TOOLS_EMBEDDING_CACHE: 'x.json' })).toEqual([
    expect.stringMatching(/^TOOLS_RERANKER_MODEL is missing, but TOOLS_ENRICH_DESCRIPTIONS is set/),
    expect.stringMatching(/^TOOLS_EMBEDDING_MODEL is missing, but TOOLS_EMBEDDING_CACHE is set/),
  ])
})
