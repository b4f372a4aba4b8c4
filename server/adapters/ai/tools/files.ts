import type { ToolExecutionOptions } from 'ai'
import { FilesError, type Files } from 'files-sdk'
import {
  createFileTools as createSdkTools, type ApprovalConfig, type FileToolName, type FileTools, type ReadOnlyFileTools,
} from 'files-sdk/ai-sdk'
import type { Field } from '../../../ports/submission'
import { UNTRUSTED } from './bounded'

/** Texts of a tool that a caller may replace. The tool's effect and input stay the same. */
interface FileToolOverride {
  description?: string
  title?: string
}

export interface FileToolsOptions {
  files: Files
  /** Writes that need approval: all, none, or set by name. A write without a setting needs approval. Default: all. */
  requireApproval?: ApprovalConfig
  /** True to offer only the four tools that read. */
  readOnly?: boolean
  overrides?: Partial<Record<FileToolName, FileToolOverride>>
}

type Input = Record<string, unknown>
type Execute = (input: Input, options: ToolExecutionOptions<unknown>) => Promise<Input>
type Executable = Record<string, unknown> & { execute: Execute }

const OVERRIDABLE = ['description', 'title']

/** Files per page: default and maximum. */
const [PAGE, LARGEST_PAGE] = [50, 100]

/** Max size of a text that is read, bytes, and max part of it sent to a model, characters. */
const [READ_BYTES, SHOWN_CHARS] = [1024 * 1024, 16_000]

const DEFAULTS: Readonly<Record<FileToolName, FileToolOverride>> = {
  listFiles: { title: 'List files' },
  getFileMetadata: { title: 'Show file details' },
  downloadFile: {
    title: 'Read file',
    description: `Read a file and return its text, of which long ones show the first ${SHOWN_CHARS} characters. Set binary=true for small files that are not text.`,
  },
  getFileUrl: { title: 'Get file link' },
  uploadFile: {
    title: 'Save file',
    description: 'Save text (or base64 with encoding="base64") as a file. The key is its path, such as reports/ada.json; folders need not exist. A file that has this key already is replaced.',
  },
  deleteFile: { title: 'Delete file' },
  copyFile: { title: 'Copy file' },
  signUploadUrl: { title: 'Make upload link' },
}

/**
 * Creates the eight file tools: four that read, and four that write and need approval.
 *
 * @throws TypeError for an override of anything but description and title
 */
export function createFileTools(options: FileToolsOptions & { readOnly: true }): ReadOnlyFileTools
export function createFileTools(options: FileToolsOptions & { readOnly?: false }): FileTools
export function createFileTools(options: FileToolsOptions): FileTools | ReadOnlyFileTools
export function createFileTools({
  files, requireApproval, readOnly, overrides = {},
}: FileToolsOptions): FileTools | ReadOnlyFileTools {
  checkOverrides(overrides)
  const tools = createSdkTools({
    files, requireApproval, readOnly,
    overrides: mapValues(DEFAULTS, (texts, name) => ({ ...texts, ...overrides[name] })),
  })
  return mapValues(
    tools as unknown as Record<FileToolName, Executable>,
    (tool, name) => ({ ...tool, execute: limitTool(name, tool.execute) }),
  ) as unknown as FileTools | ReadOnlyFileTools
}

/** Argument with the key of the written file, by tool. */
const TARGETS: Readonly<Partial<Record<string, string>>> = { uploadFile: 'key', copyFile: 'to', signUploadUrl: 'key' }

/** Returns the file that a call would replace. The arguments of the call do not show this. */
export function replacedFile(files: Pick<Files, 'exists'>): (tool: string, input: unknown) => Promise<Field[]> {
  return async (tool, input) => {
    const key = ((input ?? {}) as Input)[TARGETS[tool] ?? '']
    if (typeof key !== 'string') return []
    const isThere = await files.exists(key).catch(() => null)
    if (isThere === false) return []
    const value = isThere ? 'A file with this key, which is lost.' : 'It is unknown whether this file exists.'
    return [{ label: 'Replaces', value, edited: false }]
  }
}

/** Limits the request and the result of a tool, and explains its errors in plain words. */
function limitTool(name: FileToolName, execute: Execute): Execute {
  const run: Execute = (input, options) => (
    execute(input, options).catch((error) => { throw new Error(explain(error, name)) })
  )
  if (name === 'listFiles') return (input, options) => run(
    { ...input, limit: Math.min(Number(input.limit ?? PAGE), LARGEST_PAGE) }, options,
  )
  if (name !== 'downloadFile') return run
  return async (input, options) => {
    // Partial base64 is useless, and base64 takes four characters for three bytes.
    const maxBytes = input.binary ? SHOWN_CHARS * 3 / 4 : READ_BYTES
    const { content, ...file } = await run(
      { ...input, maxBytes: Math.min(Number(input.maxBytes ?? maxBytes), maxBytes) }, options,
    )
    const text = String(content)
    return {
      ...file, untrusted: UNTRUSTED,
      content: text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text,
      ...text.length > SHOWN_CHARS ? { cut: `The first ${SHOWN_CHARS} of ${text.length} characters.` } : {},
    }
  }
}

/** Tools that work without an existing file. */
const NO_KEY: readonly FileToolName[] = ['listFiles', 'uploadFile']

/** Returns the error text for the model. An error with a cause may contain paths, addresses and keys of the storage. */
function explain(error: unknown, name: FileToolName): string {
  if (!(error instanceof FilesError)) {
    return 'The file could not be processed: its content may not match its encoding.'
  }
  if (error.code === 'NotFound') return NO_KEY.includes(name)
    ? 'There is no such file storage: somebody has to check FILES_S3_ENDPOINT and FILES_S3_BUCKET.'
    : 'There is no file with this key. listFiles shows those that exist.'
  if (error.code === 'Unauthorized') {
    return 'The file storage refused access: somebody has to check its credentials (BLOB_READ_WRITE_TOKEN or FILES_S3_*).'
  }
  return error.cause === undefined ? error.message : 'The file storage does not work just now. Try again later.'
}

function checkOverrides(overrides: Partial<Record<string, object>>): void {
  for (const [name, override] of Object.entries(overrides)) {
    const unknownKeys = Object.keys(override ?? {}).filter(key => !OVERRIDABLE.includes(key))
    if (!Object.hasOwn(DEFAULTS, name)) throw new TypeError(`overrides: there is no file tool "${name}".`)
    if (unknownKeys.length > 0) {
      const keys = unknownKeys.join(', ')
      throw new TypeError(`overrides.${name}: only description and title can be overridden, not ${keys}.`)
    }
  }
}

function mapValues<Key extends string, Value, Result>(
  record: Readonly<Record<Key, Value>>, map: (value: Value, key: Key) => Result,
): Record<Key, Result> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, map(value as Value, key as Key)]),
  ) as Record<Key, Result>
}
