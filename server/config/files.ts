import type { FilesStorage } from '../adapters/files/storage'
import { MOST_ATTACHED } from '../ports/delivery'
import { countOrNone, type Require, type Values, type Variable } from '../variable'
import type { FormsConfig } from './forms'
import type { ToolsConfig } from './tools'

const MB = 2 ** 20

export const filesVariables = {
  FILES_RATE_LIMIT: {
    schema: countOrNone,
    about: 'MB of files that one client address may send with forms in an hour; 0 switches the limit off. Default: 500.',
  },
} as const satisfies Record<string, Variable>

export interface FilesConfig {
  /** MB that one client may send in an hour; 0 for no limit. */
  rateLimitMb: number
  /** Secret that signs links to files; undefined if it may change at every start. */
  secret?: string
  /** Set even if no form takes files now: earlier files must be erased with their form data. Null without a storage. */
  storage: FilesStorage | null
}

interface FilesContext {
  maxBodyBytes: number
  forms: FormsConfig
  tools: ToolsConfig
  production: boolean
  require: Require
  requireSite: (reason: string) => unknown
  problems: string[]
}

/** Storage for files of forms, the same as the agent's: this machine, Vercel Blob or S3. */
export function readFiles(
  values: Values<typeof filesVariables> & { NUXT_SESSION_PASSWORD?: string },
  { maxBodyBytes, forms, tools: { files }, production, require, requireSite, problems }: FilesContext,
): FilesConfig {
  const isPublic = files?.storage.kind === 'blob' && files.access === 'public'
  const config = {
    rateLimitMb: values.FILES_RATE_LIMIT ?? 500, secret: values.NUXT_SESSION_PASSWORD,
    storage: files && !isPublic ? files.storage : null,
  }
  const rules = Object.values(forms).flatMap(({ files }) => files ?? [])
  if (rules.length === 0) return config
  problems.push(...Object.entries(forms).flatMap(([key, { files: rule }]) => {
    // An upload of unknown length counts as the largest possible one.
    const maxMb = rule ? Math.ceil((rule.max * rule.maxBytes + maxBodyBytes) / MB) : 0
    return config.rateLimitMb > 0 && maxMb > config.rateLimitMb
      ? `The form ${key} takes up to ${maxMb} MB at once (files.max times files.maxBytes, and its fields), but FILES_RATE_LIMIT lets an address send ${config.rateLimitMb} MB in an hour. Set it to ${maxMb} or more, or have the form take less.`
      : []
  }))
  if (production) require(['NUXT_SESSION_PASSWORD'], ', but a form takes files, the links to which it signs')
  if (!files) problems.push(
    'A form takes files, but there is no place for them here. Set BLOB_READ_WRITE_TOKEN with FILES_ACCESS=private, or FILES_S3_ENDPOINT and what belongs to it.',
  )
  if (isPublic) problems.push(
    'A form takes files, but FILES_ACCESS is public. Set it to private, and take a private store of Vercel Blob.',
  )
  if (rules.some(({ max, maxBytes }) => max * maxBytes > MOST_ATTACHED)) {
    requireSite('a form takes more of files than fits into an email, which then links to them')
  }
  return config
}
