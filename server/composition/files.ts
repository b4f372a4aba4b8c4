import { randomBytes } from 'node:crypto'
import { createFormFiles } from '../adapters/files/form-files'
import type { Config } from '../config'
import { notedFiles } from '../domain/operations/noted-files'
import { SubmissionFiles } from '../domain/submission/submission-files'
import { LARGEST_BODY, type BodyLimits } from '../http/body-limits'
import { BodyMemory } from '../http/body-memory'
import type { Monitor } from '../ports/monitor'

type Parts = Omit<ConstructorParameters<typeof SubmissionFiles>[0], 'files' | 'isTaking' | 'secret' | 'siteUrl'>

/** Files that come with forms. */
export function createFiles(
  { files: { storage, secret }, forms, dataDir, siteUrl }: Pick<Config, 'files' | 'forms' | 'dataDir' | 'siteUrl'>,
  owner: () => Promise<string>, monitor: Monitor, parts: Parts,
): SubmissionFiles {
  return new SubmissionFiles({
    ...parts, siteUrl, isTaking: Object.values(forms).some(({ files }) => files !== undefined),
    files: storage && notedFiles(createFormFiles({ storage, dir: `${dataDir}/uploads`, owner }), monitor),
    // Outside production links may end with the process.
    secret: secret ?? randomBytes(32).toString('hex'),
  })
}

/** What bodies of requests may take; files as much again, so that uploads hold up nobody else. */
export function bodyLimitsOf({ bodies: { memory, timeoutMs }, maxBodyBytes, form }: Config): BodyLimits {
  const open = () => new BodyMemory(memory, Math.max(LARGEST_BODY, maxBodyBytes))
  return { memory: open(), uploads: open(), timeoutMs, trustedProxies: form.trustedProxies }
}
