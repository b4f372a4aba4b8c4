import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import builtIn from '../../forms.config'
import { readForms } from '../../server/config/forms'

const dir = mkdtempSync(join(tmpdir(), 'forms-'))
afterAll(() => rmSync(dir, { recursive: true }))

function read(content: unknown, platforms: readonly string[] | null = ['slack']) {
  const path = join(dir, 'forms.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  const problems: string[] = []
  const forms = readForms({}, path, platforms, problems)
  return { forms, problems: problems.map(problem => problem.replace(path, 'forms.json')) }
}

describe('the configuration of forms', () => {
  test('takes addresses alone or in a list, and origins with or without a slash', () => {
    const { forms, problems } = read({
      a: { name: ' A ', to: 'a@example.com', allowedOrigins: ['https://Example.com/'] },
      b: { name: 'B', to: ['b@example.com', 'c@example.com'] },
    })
    expect(problems).toEqual([])
    expect(forms).toEqual({ a: { name: 'A', to: ['a@example.com'], allowedOrigins: ['https://example.com'] }, b: {
      name: 'B', to: ['b@example.com', 'c@example.com'],
    } })
  })

  test.each([
    ['a key with capitals', { Contact: { name: 'C' } }, 'FORMS_CONFIG (forms.json): Contact'],
    ['a form without a name', { a: {} }, 'a.name'],
    ['a misspelt setting', { a: { name: 'A', chanels: {} } }, 'chanels'],
    ['an address that is none', { a: { name: 'A', to: ['nobody'] } }, 'a.to'],
    ['an endpoint that is no URL', { a: { name: 'A', endpoint: 'crm' } }, 'a.endpoint is not an http(s) URL'],
    [
      'more addresses than Resend takes',
      { a: { name: 'A', to: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) } },
      'a.to has more than 50 addresses',
    ],
    [
      'a channel by its name', { a: { name: 'A', channels: { slack: '#general' } } },
      'a.channels.slack is not a channel id such as C0123456789.',
    ],
    [
      'a channel of a workspace by its name', { a: { name: 'A', channels: { slack: 'T0123456789:general' } } },
      'a.channels.slack is not a channel id',
    ],
    [
      'an endpoint with a user name', { a: { name: 'A', endpoint: 'https://user:secret@example.com' } },
      'a.endpoint carries a user name',
    ],
    [
      'an origin with a path', { a: { name: 'A', allowedOrigins: ['https://example.com/contact'] } },
      'a.allowedOrigins.0 is not an origin',
    ],
    ['a name of two lines', { a: { name: 'A\nB' } }, 'a.name has a line break'],
    [
      'a platform that is not configured', { a: { name: 'A', channels: { discord: '123456789012345678' } } },
      'a.channels.discord is not a configured platform. Configured: slack.',
    ],
    ['something that is no JSON', '{', 'it is not JSON'],
  ])('names %s', (_, content, named) => {
    const { problems } = read(content)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(named)
  })

  test('names a file that is not there', () => {
    const problems: string[] = []
    expect(readForms({}, '/nowhere/forms.json', null, problems)).toEqual({})
    expect(problems).toEqual(['FORMS_CONFIG (/nowhere/forms.json) cannot be read: ENOENT.'])
  })

  test('without a file is the built-in one', () => {
    const problems: string[] = []
    expect(readForms(builtIn, undefined, null, problems)).toEqual({})
    expect(problems).toEqual([])
  })
})
