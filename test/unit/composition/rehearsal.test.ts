import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const dir = mkdtempSync(join(tmpdir(), 'rehearsal-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** A file of the test. */
function file(name: string, content: unknown): string {
  const path = join(dir, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

function check(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { status, stdout, stderr } = spawnSync(
    process.execPath, ['scripts/forms.mjs', 'check', ...args],
    { cwd: root, encoding: 'utf8', env: { PATH, NODE_COMPILE_CACHE } },
  )
  return { status, stdout, stderr }
}

test('the README shows the rehearsal of the sample forms as it is', () => {
  const { status, stdout } = check('docs/sample/forms.json', 'docs/sample/samples.json')
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const shown = /<!-- rehearsal -->\n```\n([^]*)```\n<!-- \/rehearsal -->/.exec(readme)
  expect(shown?.[1]?.trim()).toBe(stdout.trim())
  expect(status).toBe(1)
})

test('forms without mistakes end with 0; the page shows form text as text', () => {
  const config = file('forms.json', { a: { name: 'A', fields: { name: 'Name', day: { type: 'date' } } } })
  const page = join(dir, 'page.html')
  const samples = file('samples.json', { a: { name: '<script>alert(1)</script>', day: '2026-11-22' } })
  const { status, stdout, stderr } = check(config, samples, '--html', page)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('1 form, 0 mistakes')
  expect(readFileSync(page, 'utf8')).not.toContain('<script')
})

test.each<[string, unknown, unknown, string]>([
  ['a configuration that is wrong', { a: { name: 'A', chanels: {} } }, {}, 'chanels'],
  ['a sample of no form', { a: { name: 'A' } }, { b: {} }, 'There is a sample of the form "b"'],
  ['a sample that is no object', { a: { name: 'A' } }, { a: [] }, 'no JSON object'],
  ['a configuration that cannot be read', '{', {}, 'it is not JSON'],
  ['samples that cannot be read', { a: { name: 'A' } }, '{', 'cannot be read'],
])('%s is said, and ends with 1', (_, config, samples, said) => {
  const { status, stdout, stderr } = check(file('forms.json', config), file('samples.json', samples))
  expect(status).toBe(1)
  expect(stdout + stderr).toContain(said)
})

test('a sample names the files that it has; one that is needed and not there is a mistake', () => {
  const config = file('forms.json', {
    jobs: {
      name: 'Jobs', fields: { cv: { label: 'Your CV', type: 'file', required: true } }, files: { types: ['text/csv'] },
    },
  })
  const told = check(config, file('samples.json', { jobs: { cv: 'ada.csv' } }))
  expect([told.status, told.stderr]).toEqual([0, ''])
  expect(told.stdout).toMatch(/Files: up to 5 of 10 MB each, text\/csv[^]*Card[^]*Your CV: ada\.csv \(text\/csv/)
  expect(check(config).stdout).toContain('Your CV: sample (text/csv')
  const wrong = check(config, file('samples.json', { jobs: { name: 'Ada' } }))
  expect([wrong.status, wrong.stdout]).toEqual([
    1, expect.stringContaining('✗ The sample\'s field "cv": Please choose a file.'),
  ])
})
