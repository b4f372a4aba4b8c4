// @ts-check
import { readdirSync } from 'node:fs'
import boundaries from 'eslint-plugin-boundaries'
import regexp from 'eslint-plugin-regexp'
import withNuxt from './.nuxt/eslint.config.mjs'

const NO_BARRELS = [
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
  {
    selector: 'ExportNamedDeclaration[source] > ExportSpecifier[exported.name="default"]',
    message: 'No barrels: import from the file that defines it.',
  },
]

/** Folders of platforms. Their names are the platforms' keys, which code outside these folders must not use. */
const PLATFORMS = readdirSync(new URL('server/platforms/', import.meta.url), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && entry.name !== 'shared').map(({ name }) => name)

const NO_PLATFORM = {
  selector: `Literal[value=/^(${PLATFORMS.join('|')})$/]`,
  message: 'No platform is told by its name outside its folder: say what is different about it in its definition.',
}

/** Files of `domain/deliveries` that are no kind of destination */
const NO_KINDS = ['condition', 'delivery', 'registry', 'settings', 'template']

/** Kinds of destinations. Code outside their folder must not compare anything with their keys. */
const DELIVERIES = readdirSync(new URL('server/domain/deliveries/', import.meta.url))
  .map(name => name.replace('.ts', '')).filter(name => !NO_KINDS.includes(name))

const NO_DELIVERY = {
  selector: `BinaryExpression[operator=/^[!=]==?$/] > Literal[value=/^(${DELIVERIES.join('|')})$/]`,
  message: 'No delivery is told by its name outside its folder: say what is different about it in its row.',
}

const COLUMNS = 120

/** A line may be too long if it has a text, regular expression or template of at least this many columns. */
const UNBROKEN = 60

/** @type {import('eslint').Rule.RuleModule} */
const columns = {
  meta: { type: 'layout', schema: [], messages: { long: `A line has at most ${COLUMNS} columns.` } },
  create(context) {
    const exempt = new Set()
    return {
      'Literal, TemplateLiteral'(/** @type {import('eslint').Rule.Node} */ { loc }) {
        if (!loc) return
        const { start, end } = loc
        for (let line = start.line; line <= end.line; line++) {
          const [from, to] = [line === start.line ? start.column : 0, line === end.line ? end.column : Infinity]
          if (to - from >= UNBROKEN) exempt.add(line)
        }
      },
      'Program:exit'() {
        context.sourceCode.lines.forEach((text, index) => {
          if (text.length <= COLUMNS || exempt.has(index + 1) || /https?:\/\//.test(text)) return
          context.report({ loc: { line: index + 1, column: COLUMNS }, messageId: 'long' })
        })
      },
    }
  },
}

/** Any package, but no alias of this project */
const PACKAGES = ['[a-z]*{,/**}', '@[a-z]*/**']
const NODE = 'node:*{,/**}'

/**
 * The import table of the architecture: what each folder of `server/` may import. `from` are globs of files there,
 * `types` are globs of files for type imports only, `packages` are globs of specifiers. A folder may always import from
 * itself and from `shared/`.
 *
 * @type {{ folder: string, from?: string[], types?: string[], packages?: string[], packageTypes?: string[] }[]}
 */
export const TABLE = [
  { folder: 'ports' },
  { folder: 'domain', from: ['ports/**'], packages: ['zod', NODE] },
  { folder: 'domain/deliveries', from: ['domain/**', 'ports/**', 'variable.ts'], packages: ['zod'] },
  { folder: 'platforms', from: ['ports/**', 'variable.ts'], packages: PACKAGES },
  { folder: 'adapters/chat', from: ['ports/**', 'platforms/**'], packages: PACKAGES },
  { folder: 'adapters/!(chat)', from: ['ports/**'], packages: PACKAGES },
  { folder: 'handlers', from: ['domain/**', 'ports/**'], packageTypes: ['chat'] },
  {
    folder: 'http', from: ['domain/{errors,json}.ts'], types: ['ports/**'],
    packages: ['h3', NODE, '@vercel/functions', '@fastify/busboy'],
  },
  { folder: 'api', from: ['app.ts', 'http/**'], packages: ['h3'] },
  {
    folder: 'plugins', from: ['app.ts', 'config.ts', 'http/**', 'api/webhooks/**'],
    packages: ['h3', 'nitropack/runtime', 'node:v8', '#pages', '#nitro-internal-virtual/server-handlers'],
  },
]

export default withNuxt(
  { name: 'forms/ignores', ignores: ['.output/**', '.nuxt/**', '.data/**'] },
  {
    name: 'forms/everywhere',
    files: ['**/*.{ts,vue,mjs}'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-restricted-syntax': ['error', ...NO_BARRELS],
      // A one-statement arrow function may stand on the same line as the call that receives it.
      '@stylistic/max-statements-per-line': ['error', { max: 2 }],
    },
  },
  {
    name: 'forms/complexity',
    files: ['{app,build,pages,scripts,server,shared}/**/*.{ts,vue,mjs}'],
    rules: {
      'complexity': ['error', { max: 25, variant: 'modified' }],
      'max-depth': ['error', 4],
      'max-params': ['error', 5],
    },
  },
  {
    name: 'forms/platforms',
    files: ['{app,pages,server,shared}/**'],
    ignores: ['server/platforms/**'],
    rules: { 'no-restricted-syntax': ['error', ...NO_BARRELS, NO_PLATFORM, NO_DELIVERY] },
  },
  {
    // Senders choose the text that these expressions read: their running time must be linear in its length.
    name: 'forms/linear',
    files: ['{app,pages,server,shared}/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false, ignorePartial: false }],
    },
  },
  {
    name: 'forms/routes',
    files: ['server/api/**'],
    rules: { 'max-lines': ['error', { max: 25, skipBlankLines: false, skipComments: false }] },
  },
  {
    name: 'forms/columns',
    files: ['**/*.{ts,mjs}'],
    plugins: { forms: { rules: { columns } } },
    rules: { 'forms/columns': 'error' },
  },
  {
    // An attribute's text may stand alone on a longer line.
    name: 'forms/columns-of-components',
    files: ['**/*.vue'],
    rules: {
      '@stylistic/max-len': ['error', {
        code: COLUMNS, ignoreUrls: true,
        ignorePattern: String.raw`^\s*(?:[\w-]+: )?([\x27"\x60]).*\1,?$|^\s*:?[\w-]+="[^"]*">?$`,
      }],
    },
  },
  {
    name: 'forms/imports',
    files: ['server/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { node: { extensions: ['.ts'] } },
      'boundaries/elements': [{ type: 'folder', pattern: ['server/adapters/*', 'server/!(adapters)'] }],
      'boundaries/dependency-nodes': ['import', 'dynamic-import', 'export'],
    },
    rules: {
      'boundaries/dependencies': ['error', {
        default: 'allow', checkAllOrigins: true, checkUnknownLocals: true, policies: TABLE.flatMap(policiesOf),
      }],
    },
  },
)

/** @param {typeof TABLE[number]} row */
function policiesOf({ folder, from = [], types = [], packages = [], packageTypes = [] }) {
  const importer = { file: { path: `server/${folder}/**` } }
  const files = (/** @type {string} */ glob) => ({ to: { file: { path: `server/${glob}` } } })
  const typesOf = [...types, ...packageTypes].map(name => `types of ${name}`)
  const what = [...from, ...typesOf, ...packages === PACKAGES ? ['packages'] : packages].join(', ')
  const message = `server/${folder} may import itself, shared/, ${what}; see the import table of the architecture.`
  const allowed = [
    { dependency: { relationship: { to: 'internal' } } },
    { to: { file: { path: 'shared/**' } } },
    ...from.map(files),
    ...types.map(glob => ({ ...files(glob), dependency: { kind: 'type' } })),
    ...packages.map(source => ({ dependency: { source } })),
    ...packageTypes.map(source => ({ dependency: { source, kind: 'type' } })),
  ]
  return [
    { from: importer, disallow: { to: [{ file: { path: '**' } }, { module: { origin: '*' } }] }, message },
    ...allowed.map(allow => ({ from: importer, allow })),
  ]
}
