import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ESLint } from 'eslint'
import { beforeAll, describe, expect, test } from 'vitest'
import { TABLE } from '../../eslint.config.mjs'

const ROOT = resolve(import.meta.dirname, '../..')
const eslint = new ESLint({ cwd: ROOT })

/** Rules that the code breaks when it stands in this file. */
async function broken(filePath: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath: resolve(ROOT, filePath) })
  return result!.messages.map(({ ruleId }) => ruleId)
}

const imports = (specifier: string) => `import { x } from '${specifier}'\n\nx()\n`
const IMPORT_RULE = 'boundaries/dependencies'

// The first run loads every plugin.
beforeAll(() => broken('server/warm-up.ts', ''))

describe.each([
  {
    file: 'server/ports/board.ts',
    allowed: ['./submission', '../../shared/types/status'],
    forbidden: ['../domain/errors', 'zod', 'node:crypto', 'chat', 'h3', './../app'],
  },
  {
    file: 'server/domain/errors.ts',
    allowed: ['./submission/fields', '../ports/store', 'zod', 'node:crypto'],
    forbidden: [
      '../app', '../config', '../adapters/redis/store', '../http/errors', 'h3', 'chat', 'redis', '~/server/app',
      './../app', 'zod/mini',
    ],
  },
  {
    file: 'server/domain/submission/outbox.ts',
    allowed: ['./fields', '../../../shared/types/submissions', '../errors', '../../ports/store', 'zod', 'node:crypto'],
    forbidden: [
      '../../app', '../../config', '../../adapters/redis/store', '../../http/errors', 'h3', 'nitropack/runtime',
      '../x/../../app',
    ],
  },
  {
    file: 'server/adapters/email/resend.ts',
    allowed: ['./template', '../../ports/delivery', 'resend', 'node:crypto', '@vercel/functions'],
    forbidden: [
      '../redis/store', '../../domain/submission/email', '../../config', '../../app', '../../http/errors',
      '~/server/app', '~~/server/app', '@/server/app', '#imports',
    ],
  },
  {
    file: 'server/platforms/slack/room.ts',
    allowed: [
      './blocks', '../connection', '../shared/text', '../../ports/board', '../../variable', '@chat-adapter/slack',
    ],
    forbidden: [
      '../../adapters/redis/store', '../../adapters/chat/cards', '../../domain/submission/present', '../../config',
      '../../app',
    ],
  },
  {
    file: 'server/adapters/chat/board.ts',
    allowed: ['./cards', '../../platforms/connection', '../../ports/board', 'chat'],
    forbidden: ['../redis/store', '../../domain/submission/present', '../../config', '../../app'],
  },
  {
    file: 'server/handlers/review.ts',
    allowed: ['./agent', '../domain/submission/decisions', '../ports/board'],
    forbidden: ['chat', 'h3', 'zod', '../app', '../adapters/chat/modals', '../http/errors', '../config'],
  },
  {
    file: 'server/http/errors.ts',
    allowed: ['./body', '../domain/errors', 'h3', 'node:crypto', '@vercel/functions'],
    forbidden: [
      '../domain/submission/intake', '../app', '../config', '../ports/store', '../adapters/redis/store', 'zod', 'chat',
    ],
  },
  {
    file: 'server/api/form.post.ts',
    allowed: ['../app', '../http/body', 'h3'],
    forbidden: [
      '../config', '../domain/submission/intake', '../ports/store', '../adapters/redis/store', 'zod', 'chat', '../apps',
    ],
  },
  {
    file: 'server/api/webhooks/[platform].post.ts',
    allowed: ['../../app', '../../http/body', '../../../shared/types/session', 'h3'],
    forbidden: [
      '../../config', '../../../shared/../nuxt.config', '../../domain/errors', '../../adapters/chat/bot', 'chat',
      'nitropack/runtime',
    ],
  },
  {
    file: 'server/plugins/lifecycle.ts',
    allowed: ['../app', '../config', '../http/background', '../api/webhooks/[platform].post', 'nitropack/runtime'],
    forbidden: ['../api/ready.get', '../domain/errors', '../ports/store', '../adapters/redis/store', 'redis', 'chat'],
  },
])('$file', ({ file, allowed, forbidden }) => {
  test.each(allowed)('may import %s', async (specifier) => {
    expect(await broken(file, imports(specifier))).toEqual([])
  })

  test.each(forbidden)('may not import %s', async (specifier) => {
    expect(await broken(file, imports(specifier))).toContain(IMPORT_RULE)
  })

  test('may not go around the table by import(), a type, or a re-export', async () => {
    const [specifier] = forbidden
    expect(await broken(file, `export const load = () => import('${specifier}')\n`)).toEqual([IMPORT_RULE])
    expect(await broken(file, `import type { X } from '${specifier}'\n\nexport const x: X = 1\n`)).toEqual(
      file.includes('handlers') ? [] : [IMPORT_RULE],
    )
    expect(await broken(file, `export { x } from '${specifier}'\n`)).toEqual([IMPORT_RULE])
  })
})

test('http may import types of the ports, and nothing else of them', async () => {
  expect(await broken(
    'server/http/session.ts',
    'import type { Reviewer } from \'../ports/submission\'\n\nexport const all: Reviewer[] = []\n',
  )).toEqual([])
  expect(await broken(
    'server/http/session.ts', 'import { HEARTBEAT_MS } from \'../ports/store\'\n\nexport const beat = HEARTBEAT_MS\n',
  )).toEqual([IMPORT_RULE])
  expect(
    await broken('server/http/session.ts', 'export const load = () => import(\'../ports/store\')\n'),
  ).toEqual([IMPORT_RULE])
})

test('handlers may import types of chat, and nothing else of it', async () => {
  expect(
    await broken('server/handlers/review.ts', 'import type { Chat } from \'chat\'\n\nexport const bot: Chat[] = []\n'),
  ).toEqual([])
  expect(
    await broken('server/handlers/review.ts', 'import type { Bot } from \'h3\'\n\nexport const bot: Bot[] = []\n'),
  ).toEqual([IMPORT_RULE])
})

test('the table of CONTRIBUTING.md names all that a folder may import', () => {
  const rows = new Map([
    ...readFileSync(resolve(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| `([\w/]+)` \| (.+) \|$/gm),
  ].map(([, folder, may]) => [folder, may!]))
  for (const { folder, from = [], types = [], packages = [], packageTypes = [] } of TABLE) {
    const may = rows.get(folder.replace('!(chat)', 'X'))
    // Patterns of packages, as adapters have them, are `packages`.
    const globs = [
      ...from, ...types,
      ...packages.map(name => name.startsWith('node:') ? 'node:' : /[[]/.test(name) ? 'packages' : name),
      ...packageTypes,
    ]
    const names = globs.flatMap(glob => glob.replace(/\.ts$/, '').match(/[\w@#:/-]*[\w@#:-]/g) ?? [])
    for (const name of names) expect(may, `${folder}: ${name}`).toContain(name)
  }
})

describe('length', () => {
  const lines = (count: number) => 'void 0\n'.repeat(count)

  test.each(['server/api/form.post.ts', 'server/api/a/b/[c].get.ts'])('%s has at most 25 lines', async (file) => {
    expect(await broken(file, lines(25))).toEqual([])
    expect(await broken(file, lines(26))).toEqual(['max-lines'])
  })

  test.each([
    'server/app.ts', 'server/http/body.ts', 'test/unit/a.test.ts', 'scripts/demo.mjs', 'nuxt.config.ts',
  ])('%s has at most 250 lines', async (file) => {
    expect(await broken(file, lines(250))).toEqual([])
    expect(await broken(file, lines(251))).toEqual(['max-lines'])
  })

  test('a line has at most 120 columns', async () => {
    for (const file of ['server/app.ts', 'test/unit/a.test.ts', 'scripts/demo.mjs']) {
      expect(await broken(file, `// ${'word '.repeat(23)}ab\n`)).toEqual([])
      expect(await broken(file, `// ${'word '.repeat(23)}abc\n`)).toEqual(['forms/columns'])
    }
  })

  test('a sentence may be longer, and nothing around it', async () => {
    expect(await broken('server/app.ts', `void '${'word '.repeat(30)}'\n`)).toEqual([])
    const around = `void '${'word '.repeat(8)}' // ${'word '.repeat(20)}end\n`
    expect(await broken('server/app.ts', around)).toEqual(['forms/columns'])
  })

  test('a component has at most 250 lines', async () => {
    const component = (count: number) => `<template>\n${'  <p />\n'.repeat(count - 2)}</template>\n`
    const rules = await Promise.all(
      [250, 251].map(count => broken('app/components/sandbox/card.vue', component(count))),
    )
    expect(rules.map(found => found.includes('max-lines'))).toEqual([false, true])
  })

  test('comments and empty lines count', async () => {
    expect(await broken('server/api/form.post.ts', `// why\n\n${lines(24)}`)).toEqual(['max-lines'])
  })
})

test('there are no barrels', async () => {
  for (const code of [
    'export * from \'./board\'\n', 'export { default } from \'./board\'\n',
    'export { x as default } from \'./board\'\n',
  ]) {
    expect(await broken('server/ports/index.ts', code)).toEqual(['no-restricted-syntax'])
    expect(await broken('app/composables/index.ts', code)).toEqual(['no-restricted-syntax'])
  }
})

test('any is an error', async () => {
  expect(await broken('server/app.ts', 'export const x: any = 1\n')).toEqual(['@typescript-eslint/no-explicit-any'])
})

test.each(['.output/server/index.mjs', '.data/a.ts', 'node_modules/x/index.js'])('%s is ignored', async (file) => {
  const [result] = await eslint.lintText('var a : any;', { filePath: resolve(ROOT, file) })
  expect(result!.messages).toMatchObject([{ ruleId: null, message: expect.stringContaining('ignored') }])
})

describe('the name of a platform', () => {
  test.each([
    'server/domain/submission/outbox.ts', 'server/adapters/chat/board.ts', 'server/app.ts',
    'app/components/ops/list.vue',
  ])('is not compared in %s', async (file) => {
    const code = (name: string) => file.endsWith('.vue')
      ? `<script setup>\nconsole.log('${name}')\n</script>\n\n<template>\n  <p />\n</template>\n`
      : `void '${name}'\n`
    expect(await broken(file, code('telegram'))).toEqual(['no-restricted-syntax'])
    expect(await broken(file, code('telegraph'))).toEqual([])
  })

  test('is said in its own folder', async () => {
    expect(await broken('server/platforms/telegram/room.ts', 'void \'telegram\'\n')).toEqual([])
  })
})
