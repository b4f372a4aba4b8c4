import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from 'files-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import { openFiles } from '../../../../../server/adapters/files/agent-files'
import { createFileTools, replacedFile, type FileToolsOptions } from '../../../../../server/adapters/ai/tools/files'
import { testFolder } from '../../../../support/lifetime'
import { callTool } from '../../../../support/tools'

const READS = ['listFiles', 'getFileMetadata', 'downloadFile', 'getFileUrl']
const WRITES = ['uploadFile', 'deleteFile', 'copyFile', 'signUploadUrl']
const MAX_BYTES = 100_000

let root: string
let files: Files

beforeEach(async () => {
  root = testFolder()
  files = await openFiles({
    storage: { kind: 'disk' }, dir: join(root, 'files'), access: 'public', maxBytes: MAX_BYTES,
  })
})

const call = (name: string, input?: unknown) => callTool(createFileTools({ files }), name, input)
const approvals = (tools: object) => Object.fromEntries(
  Object.entries(tools).map(([name, tool]) => [name, tool.needsApproval ?? false]),
)

describe('the contract', () => {
  test('is eight tools, of which the four that write need approval', () => {
    expect(approvals(createFileTools({ files }))).toEqual({ ...flags(READS, false), ...flags(WRITES, true) })
  })

  test('approval is required of all, of none, or by name, where what is not named needs it', () => {
    expect(approvals(createFileTools({ files, requireApproval: true }))).toEqual({
      ...flags(READS, false), ...flags(WRITES, true),
    })
    expect(approvals(createFileTools({ files, requireApproval: false }))).toEqual(flags([...READS, ...WRITES], false))
    expect(approvals(
      createFileTools({ files, requireApproval: { uploadFile: false, deleteFile: true, copyFile: undefined } }),
    ))
      .toEqual({
        ...flags([...READS, 'uploadFile'], false), ...flags(['deleteFile', 'copyFile', 'signUploadUrl'], true),
      })
  })

  test('read-only is the four tools that read, whatever approval says', () => {
    for (const requireApproval of [undefined, true, false]) {
      expect(Object.keys(createFileTools({ files, readOnly: true, requireApproval })).sort()).toEqual(READS.toSorted())
    }
  })

  test('overrides change description and title, and nothing else about the tool', () => {
    const defaultTools = createFileTools({ files })
    const { listFiles, uploadFile } = createFileTools({ files, overrides: {
      listFiles: { description: 'Our reports', title: 'Reports' }, uploadFile: { title: 'File it' },
    } })
    expect(listFiles).toMatchObject({
      description: 'Our reports', title: 'Reports', inputSchema: defaultTools.listFiles.inputSchema,
    })
    expect(uploadFile).toMatchObject({
      description: defaultTools.uploadFile.description, title: 'File it', needsApproval: true,
    })
  })

  test.each([
    'execute', 'inputSchema', 'outputSchema', 'needsApproval', 'toModelOutput',
  ])('an override of %s is refused', (field) => {
    const overrides = { deleteFile: { title: 'Remove', [field]: () => false } } as FileToolsOptions['overrides']
    expect(() => createFileTools({ files, overrides })).toThrow(
      new TypeError(`overrides.deleteFile: only description and title can be overridden, not ${field}.`),
    )
  })

  test('an override of a tool that does not exist is refused', () => {
    expect(() => createFileTools({
      files, overrides: { eraseDisk: { title: 'x' } } as FileToolsOptions['overrides'],
    })).toThrow('there is no file tool "eraseDisk"')
  })
})

describe('on disk', () => {
  test('bytes go in and out as base64', async () => {
    const content = Buffer.from([0, 255, 128, 10]).toString('base64')
    await call('uploadFile', { key: 'a.bin', content, encoding: 'base64' })
    expect(await readFile(join(root, 'files/a.bin'))).toEqual(Buffer.from(content, 'base64'))
    expect(await call('downloadFile', { key: 'a.bin', binary: true })).toMatchObject({ content, encoding: 'base64' })
  })

  test.each([
    '../secret', 'a/../../secret', '/etc/passwd', 'a//b', './a', 'a/.', '..', '', 'a\\..\\b', 'C:\\a',
    'file:///etc/passwd', 'https://other.blob.vercel-storage.com/a',
    'a\u0000b', 'a\nb', 'a?b', 'a#b', '%2e%2e/a', 'a\ud800', 'a'.repeat(251),
  ])('the key %j reaches nothing, by whatever tool', async (key) => {
    await writeFile(join(root, 'secret'), 'secret')
    await call('uploadFile', { key: 'own', content: 'x' })
    const calls: [string, object][] = [
      ['getFileMetadata', { key }], ['downloadFile', { key }], ['getFileUrl', { key }],
      ['uploadFile', { key, content: 'x' }], ['deleteFile', { key }],
      ['copyFile', { from: key, to: 'stolen' }], ['copyFile', { from: 'own', to: key }],
      ['signUploadUrl', { key, expiresIn: 60 }],
      ...key === '' ? [] : [['listFiles', { prefix: key }] as [string, object]],
    ]
    for (const [name, input] of calls) await expect(call(name, input), name).rejects.toThrow(/is not a key/)
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret')
    expect((await readdir(join(root, 'files'))).filter(name => !name.endsWith('.meta.json'))).toEqual(['own'])
  })

  test('a link that leads out of the folder is not followed', async () => {
    await call('uploadFile', { key: 'own', content: 'x' })
    await writeFile(join(root, 'secret'), 'secret')
    await symlink(root, join(root, 'files/out'))
    for (const [name, input] of [['downloadFile', { key: 'out/secret' }], [
      'uploadFile', { key: 'out/secret', content: 'x' },
    ], ['deleteFile', { key: 'out/secret' }]] as const) {
      await expect(call(name, input), name).rejects.toThrow()
    }
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret')
  })

  test('a model is shown the beginning of a long text, and no large bytes', async () => {
    await call('uploadFile', { key: 'long', content: '🦊'.repeat(20_000) })
    const { content, cut } = await call('downloadFile', { key: 'long' }) as { content: string, cut: string }
    expect([content.length, content.isWellFormed(), cut]).toEqual([
      16_001, true, 'The first 16000 of 40000 characters.',
    ])
    await expect(call('downloadFile', { key: 'long', binary: true, maxBytes: 10_000_000 })).rejects.toThrow('exceeds')
  })

  test('a list is a page, with a cursor for the next', async () => {
    for (let index = 0; index < 120; index++) await call(
      'uploadFile', { key: `f/${String(index).padStart(3, '0')}`, content: '' },
    )
    const firstPage = await call('listFiles', { limit: 1000 }) as { items: unknown[], cursor: string }
    expect(firstPage.items).toHaveLength(100)
    expect((await call('listFiles', { limit: 1000, cursor: firstPage.cursor })).items).toHaveLength(20)
    expect((await call('listFiles')).items).toHaveLength(50)
  })

  test('errors say what to do and tell nothing about the server', async () => {
    await call('uploadFile', { key: 'folder/a', content: 'x' })
    const failures: [string, object, string][] = [
      ['downloadFile', { key: 'nothing' }, 'There is no file with this key. listFiles shows those that exist.'],
      [
        'uploadFile', { key: 'a', content: '~~', encoding: 'base64' },
        'The file could not be processed: its content may not match its encoding.',
      ],
      ['uploadFile', { key: 'folder', content: 'x' }, 'The file storage does not work just now. Try again later.'],
      ['getFileUrl', { key: 'folder/a' }, 'Files on this server have no URL. Use downloadFile.'],
      ['signUploadUrl', { key: 'b', expiresIn: 60 }, 'Files on this server cannot be uploaded by URL. Use uploadFile.'],
    ]
    for (const [name, input, message] of failures) {
      await expect(call(name, input), name).rejects.toThrow(new Error(message))
    }
  })
})

function flags(names: readonly string[], value: boolean): Record<string, boolean> {
  return Object.fromEntries(names.map(name => [name, value]))
}

describe('who approves a write', () => {
  const describeReplaced = async (tool: string, input: unknown, store: Pick<Files, 'exists'> = files) => (
    (await replacedFile(store)(tool, input)).map(({ label, value }) => `${label}: ${value}`)
  )

  test('is told which file it replaces, and nothing where there is none', async () => {
    await files.upload('reports/a.txt', 'a')
    const warnings = ['Replaces: A file with this key, which is lost.']
    expect(await describeReplaced('uploadFile', { key: 'reports/a.txt', content: 'b' })).toEqual(warnings)
    expect(await describeReplaced('copyFile', { from: 'reports/b.txt', to: 'reports/a.txt' })).toEqual(warnings)
    expect(await describeReplaced('signUploadUrl', { key: 'reports/a.txt' })).toEqual(warnings)
    expect(await describeReplaced('uploadFile', { key: 'reports/b.txt', content: 'b' })).toEqual([])
    expect(await describeReplaced('deleteFile', { key: 'reports/a.txt' })).toEqual([])
    expect(await describeReplaced('markSubmissionAsSpam', { id: 'reports/a.txt' })).toEqual([])
    expect(await describeReplaced('uploadFile', null)).toEqual([])
  })

  test('is told where nobody can tell that', async () => {
    const away = { exists: async () => { throw new Error('The storage is away.') } } as unknown as Files
    expect(await describeReplaced('uploadFile', { key: 'a.txt' }, away)).toEqual([
      'Replaces: It is unknown whether this file exists.',
    ])
  })
})
