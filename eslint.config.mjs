// @ts-check
import withNuxt from './.nuxt/eslint.config.mjs'

/** Folders below a folder of the table that may exist; each depth needs its own relative paths. */
const DEPTHS = [0, 1, 2, 3]

/** Any package, but no path and no alias of this project. */
const PACKAGES = '(?![./~#]|@@?/|server/)'

/** Paths such as `./../x`, which would hide where they lead. */
const DOWN_AND_UP = '(^\\./|[^./]/)\\.\\./'

const NO_BARRELS = [
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
  { selector: 'ExportNamedDeclaration[source] > ExportSpecifier[exported.name="default"]', message: 'No barrels: import from the file that defines it.' },
]

/**
 * The import table of the architecture: what each folder of `server/` may import. `from` are paths from `server/`,
 * `packages` regular expressions of whole specifiers; a folder may always import from itself,
 * and from `shared/`, what the API answers.
 *
 * @type {{ folder: string, from?: string[], packages?: string[], types?: string[] }[]}
 */
export const TABLE = [
  { folder: 'ports' },
  { folder: 'domain', from: ['ports/'], packages: ['zod$', 'node:'] },
  { folder: 'platforms', from: ['ports/', 'config/variable$'], packages: [PACKAGES] },
  { folder: 'adapters/chat', from: ['ports/', 'platforms/'], packages: [PACKAGES] },
  { folder: 'adapters/!(chat)', from: ['ports/'], packages: [PACKAGES] },
  { folder: 'handlers', from: ['domain/', 'ports/'], types: ['chat'] },
  { folder: 'http', from: ['domain/(errors|json)$'], types: ['ports/'], packages: ['h3$', 'node:', '@vercel/functions$'] },
  { folder: 'api', from: ['app$', 'http/'], packages: ['h3$'] },
  { folder: 'plugins', from: ['app$', 'config$', 'http/'], packages: ['h3$', 'nitropack/runtime$', 'node:v8$', '#page-paths$', '#nitro-internal-virtual/server-handlers$'] },
]

export default withNuxt(
  { name: 'forms/ignores', ignores: ['.output/**', '.nuxt/**', '.data/**'] },
  {
    name: 'forms/everywhere',
    files: ['**/*.{ts,vue,mjs}'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      'no-restricted-syntax': ['error', ...NO_BARRELS],
      // An arrow of one statement may stand on the line of the call that takes it.
      '@stylistic/max-statements-per-line': ['error', { max: 2 }],
    },
  },
  {
    name: 'forms/routes',
    files: ['server/api/**'],
    rules: { 'max-lines': ['error', { max: 25, skipBlankLines: false, skipComments: false }] },
  },
  ...TABLE.flatMap(row => DEPTHS.map(depth => importsOf(row, depth))),
)

/**
 * The rules for the files that lie `depth` folders below a folder of the table.
 *
 * @param {{ folder: string, from?: string[], packages?: string[], types?: string[] }} row
 * @param {number} depth
 * @returns {import('eslint').Linter.Config}
 */
function importsOf({ folder, from = [], packages = [], types = [] }, depth) {
  const up = (/** @type {number} */ levels) => `(?:\\.\\./){${levels}}`
  const own = ['\\./', ...Array.from({ length: depth }, (_, index) => `${up(index + 1)}(?!\\.\\.)`)]
  const shared = `${up(depth + folder.split('/').length + 1)}shared/`
  const server = up(depth + folder.split('/').length)
  const allBut = (/** @type {string[]} */ names) => `^(?!${[...own, shared, ...from.map(path => server + path), ...packages, ...names].join('|')})`
  const typesOnly = types.map(name => name.endsWith('/') ? server + name : `${name}$`)
  const message = `server/${folder} may import ${['itself', 'shared/', ...from, ...packages, ...types.map(name => `types of ${name}`)].join(', ').replace(PACKAGES, 'packages').replaceAll('$', '')}; see the import table of the architecture.`
  return {
    name: `forms/imports-${folder}-${depth}`,
    files: [`server/${folder}/${'*/'.repeat(depth)}*.ts`],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', {
        patterns: [
          { regex: allBut(typesOnly), message },
          { regex: DOWN_AND_UP, message },
          ...typesOnly.map(name => ({ regex: `^${name}`, allowTypeImports: true, message })),
        ],
      }],
      'no-restricted-syntax': ['error', ...NO_BARRELS, { selector: `ImportExpression[source.value=/${allBut([]).replaceAll('/', '\\x2F')}/]`, message }],
    },
  }
}
