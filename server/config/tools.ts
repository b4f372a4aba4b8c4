import { z } from 'zod'
import type { FilesStorage } from '../adapters/files/storage'
import { base, count, flag, text, token, type Require, type Values, type Variable } from '../variable'

export const toolsVariables = {
  BLOB_READ_WRITE_TOKEN: {
    schema: token, usual: text.regex(/^vercel_blob_rw_/, 'must start with vercel_blob_rw_'),
    about: 'Keeps the agent\'s files in Vercel Blob. Optional.',
    where: 'https://vercel.com/dashboard/stores → your store → Settings.',
  },
  VERCEL_BLOB_API_URL: { schema: base, about: 'Base URL of the Vercel Blob API, for tests. Default: Vercel\'s.' },
  FILES_ACCESS: {
    schema: z.enum(['public', 'private'], 'must be public or private'),
    about: 'With private, no file has a link and Vercel Blob stores it as private. Default: public.',
  },
  FILES_MAX_BYTES: { schema: count, about: 'Largest file that the agent stores, in bytes. Default: 1048576 (1 MiB).' },
  FILES_S3_ENDPOINT: {
    schema: base,
    about: 'Keeps the agent\'s files in S3 or any service that speaks it, e.g. https://s3.eu-central-1.amazonaws.com. Optional.',
  },
  FILES_S3_BUCKET: { schema: text, usual: text.regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  ), about: 'Bucket of those files.' },
  FILES_S3_REGION: { schema: token, about: 'Region of that bucket. Default: us-east-1.' },
  FILES_S3_ACCESS_KEY_ID: { schema: token, about: 'Access key that may read and write that bucket.' },
  FILES_S3_SECRET_ACCESS_KEY: { schema: text, about: 'Secret of that access key.' },
  TOOLS_EMBEDDING_MODEL: {
    schema: text,
    about: 'Embedding model that helps to find the tools for a request; without it keywords do. Optional.',
  },
  TOOLS_RERANKER_MODEL: {
    schema: text, about: 'Small language model that chooses among the tools found, before every step. Optional.',
  },
  TOOLS_ENRICH_DESCRIPTIONS: {
    schema: flag, about: 'Lets that model add synonyms to the tool index at the start. Default: 0.',
  },
  TOOLS_EMBEDDING_CACHE: {
    schema: text, about: 'File that keeps the embeddings of the tool index over restarts. Optional.',
  },
} as const satisfies Record<string, Variable>

export interface ToolsConfig {
  /** Null on a serverless host without a storage service, because its disk is read-only. */
  files: { storage: FilesStorage, access: 'public' | 'private', maxBytes: number } | null
  selection: {
    embeddingModel?: string
    rerankerModel?: string
    enrichDescriptions: boolean
    /** Path of a file. */
    embeddingCache?: string
  }
}

const S3_VARIABLES = [
  'FILES_S3_ENDPOINT', 'FILES_S3_BUCKET', 'FILES_S3_ACCESS_KEY_ID', 'FILES_S3_SECRET_ACCESS_KEY',
] as const

export function readTools(values: Values<typeof toolsVariables> & { VERCEL?: boolean }, require: Require): ToolsConfig {
  if ([...S3_VARIABLES, 'FILES_S3_REGION' as const].some(name => values[name] !== undefined)) {
    require(S3_VARIABLES, ', but other variables of the S3 storage are set')
  }
  if (values.TOOLS_ENRICH_DESCRIPTIONS) require(['TOOLS_RERANKER_MODEL'], ', but TOOLS_ENRICH_DESCRIPTIONS is set')
  if (values.TOOLS_EMBEDDING_CACHE) require(['TOOLS_EMBEDDING_MODEL'], ', but TOOLS_EMBEDDING_CACHE is set')
  const storage = readStorage(values)
  return {
    files: storage.kind === 'disk' && values.VERCEL
      ? null
      : { storage, access: values.FILES_ACCESS ?? 'public', maxBytes: values.FILES_MAX_BYTES ?? 1024 * 1024 },
    selection: {
      embeddingModel: values.TOOLS_EMBEDDING_MODEL, rerankerModel: values.TOOLS_RERANKER_MODEL,
      enrichDescriptions: values.TOOLS_ENRICH_DESCRIPTIONS ?? false, embeddingCache: values.TOOLS_EMBEDDING_CACHE,
    },
  }
}

/** Prefers a bucket, because somebody set it up on purpose; Vercel Blob sets its token by itself. */
function readStorage(values: Values<typeof toolsVariables>): FilesStorage {
  const {
    FILES_S3_ENDPOINT: endpoint, FILES_S3_BUCKET: bucket, FILES_S3_REGION: region, FILES_S3_ACCESS_KEY_ID: accessKeyId,
    FILES_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = values
  if (endpoint && bucket && accessKeyId && secretAccessKey) {
    return { kind: 's3', endpoint, bucket, region, accessKeyId, secretAccessKey }
  }
  return values.BLOB_READ_WRITE_TOKEN ? { kind: 'blob', token: values.BLOB_READ_WRITE_TOKEN } : { kind: 'disk' }
}
