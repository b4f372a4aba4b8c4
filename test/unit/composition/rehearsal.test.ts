import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { rehearse } from '../../../server/composition/rehearsal'
import { sharedFolder } from '../../support/lifetime'

const root = resolve(import.meta.dirname, '../../..')
const dir = sharedFolder()

/** Writes a file for the test. */
function file(name: string, content: unknown): string {
  const path = join(dir, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** Runs the check in its own process, as people do. */
function check(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { status, stdout, stderr } = spawnSync(
    process.execPath, ['scripts/forms.mjs', 'check', ...args],
    { cwd: root, encoding: 'utf8', env: { PATH, NODE_COMPILE_CACHE } },
  )
  return { status, stdout, stderr }
}

test('the documentation shows the rehearsal of the sample forms as it is', () => {
  const { status, stdout } = check('docs/sample/forms.json', 'docs/sample/samples.json')
  const page = readFileSync(join(root, 'docs/forms.md'), 'utf8')
  const shown = /<!-- rehearsal -->\n```\n([^]*)```\n<!-- \/rehearsal -->/.exec(page)
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

test('samples that cannot be read are said, and end with 1', () => {
  const { status, stderr } = check(file('forms.json', { a: { name: 'A' } }), file('samples.json', '{'))
  expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be read')])
})

const rehearsed = (config: unknown, samples?: Record<string, unknown>) => rehearse({
  config: {}, path: file('forms.json', config), samples, env: {},
})

test.each<[string, unknown, Record<string, unknown>, string]>([
  [
    'a place of the subject that no field fills', { a: { name: 'A', subject: '{nme}', fields: { name: 'Name' } } }, {},
    'Its subject has the placeholder {nme}, but no field has that name. The fields are name.',
  ],
  ['a configuration that is wrong', { a: { name: 'A', chanels: {} } }, {}, 'chanels'],
  ['a channel of no platform', { a: { name: 'A', channels: { slak: 'C1' } } }, {}, 'channels.slak is no platform'],
  [
    'a person by an id that is none', { people: { ada: ['slak:U1'] }, a: { name: 'A' } }, {},
    'slak:U1 is not the id of a person',
  ],
  ['a sample of no form', { a: { name: 'A' } }, { b: {} }, 'There is a sample of the form "b"'],
  ['a sample that is no object', { a: { name: 'A' } }, { a: [] }, 'no JSON object'],
  [
    'a replyTo that the sample does not have', { a: { name: 'A', replyTo: 'mail' } }, { a: { email: 'a@example.org' } },
    'Its replyTo is "mail", and its sample has no such field.',
  ],
  ['a configuration that cannot be read', '{', {}, 'must be JSON'],
])('%s is said', async (_, config, samples, said) => {
  const { mistakes, forms } = await rehearsed(config, samples)
  expect([...mistakes, ...forms.flatMap(form => form.mistakes)]).toEqual([expect.stringContaining(said)])
})

test('a sample names the files that it has; one that is needed and not there is a mistake', async () => {
  const config = {
    jobs: {
      name: 'Jobs', fields: { cv: { label: 'Your CV', type: 'file', required: true } }, files: { types: ['text/csv'] },
    },
  }
  const told = await rehearsed(config, { jobs: { cv: 'ada.csv' } })
  expect([...told.mistakes, ...told.forms[0]!.mistakes]).toEqual([])
  expect(told.forms[0]!.facts).toContain('Files: up to 5 of 10 MB each, text/csv')
  expect(told.forms[0]!.cards[0]!.text).toContain('Your CV: ada.csv (text/csv')
  const made = await rehearsed(config)
  expect(made.forms[0]!.cards[0]!.text).toContain('Your CV: sample (text/csv')
  const wrong = await rehearsed(config, { jobs: { name: 'Ada' } })
  expect(wrong.forms[0]!.mistakes).toEqual(['The sample\'s field "cv": Please choose a file.'])
})

test('a sample that is not flat says its paths, and which settings are for none of them', async () => {
  const config = {
    a: {
      name: 'A', subject: '{Your name} {customer.email} {nme}', technical: ['customer.ip', 'Nothing'],
      fields: { 'customer.email': { label: 'Email', type: 'email', required: true }, 'phone': 'Phone' },
    },
  }
  const customer = { email: 'ada@example.com', ip: '::1', age: 36 }
  const sample = { 'Your name': 'Ada', customer, 'tags': ['a', 'b'] }
  const { forms: [form] } = await rehearsed(config, { a: sample })
  expect(form!.mistakes).toEqual([expect.stringContaining('{nme}')])
  expect(form!.facts.filter(fact => /^(?:Path|Technical|Not)/.test(fact))).toEqual([
    'Path Your name: Your name (text)', 'Path customer.email: email (text)', 'Path customer.age: age (number)',
    'Path tags: tags (list)', 'Technical detail customer.ip: ip (text)', 'Not in the sample: phone, Nothing',
  ])
  expect(form!.cards[0]!.text).toContain('Email: ada@example.com')
})

test.each([
  [{ email: 'ada@example.org' }, {}, 'Reply to: ada@example.org'],
  [{ email: 'forms@example.com' }, {}, 'Reply to: nobody, because the sample has no address of its sender'],
  [
    { a: 'ada@example.org', b: 'lin@example.org' }, {},
    'Reply to: nobody, because any of these could be the sender\'s: ada@example.org, lin@example.org. Set replyTo of the form',
  ],
  [{ a: 'ada@example.org', b: { c: 'lin@example.org' } }, { replyTo: 'b.c' }, 'Reply to: lin@example.org'],
])('of %j with %j it says: %3$s', async (sample, settings, fact) => {
  const { mistakes, forms: [form] } = await rehearsed({ a: { name: 'A', ...settings } }, { a: sample })
  expect([mistakes, form!.mistakes]).toEqual([[], []])
  expect(form!.facts).toContain(fact)
})

test('a page that cannot be written is named', () => {
  const page = join(dir, 'nowhere', 'page.html')
  const { status, stderr } = check(file('forms.json', { a: { name: 'A' } }), '--html', page)
  expect([status, stderr.split('\n')]).toEqual([1, [expect.stringMatching(`^${page} cannot be written: ENOENT`), '']])
})
