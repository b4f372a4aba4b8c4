import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import builtIn from '../../../forms.config'
import { readForms, unusualChannels } from '../../../server/config/forms'
import { sharedFolder } from '../../support/lifetime'

const dir = sharedFolder()

function readContent(content: unknown, platforms: readonly string[] | null = ['slack']) {
  const path = join(dir, 'forms.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  const problems: string[] = []
  const { forms } = readForms({}, path, platforms, problems)
  return { forms, problems: problems.map(problem => problem.replace(path, 'forms.json')) }
}

describe('the configuration of forms', () => {
  test('takes addresses alone or in a list, and origins with or without a slash', () => {
    const { forms, problems } = readContent({
      a: { name: ' A ', to: 'a@example.com', allowedOrigins: ['https://Example.com/'] },
      b: { name: 'B', to: ['b@example.com', 'c@example.com'] },
    })
    expect(problems).toEqual([])
    expect(forms).toEqual({ a: { name: 'A', to: ['a@example.com'], allowedOrigins: ['https://example.com'] }, b: {
      name: 'B', to: ['b@example.com', 'c@example.com'],
    } })
  })

  test('has a redirect as a header can carry it', () => {
    const { forms } = readContent({ a: { name: 'A', redirect: 'https://bücher.example/dziękujemy?kto=Łucja' } })
    expect(forms.a!.redirect).toBe('https://xn--bcher-kva.example/dzi%C4%99kujemy?kto=%C5%81ucja')
  })

  test('keeps forms and fields in the order of the file, numbered ones too, and takes numbers like 1.0', () => {
    const { forms, problems } = readContent(
      '{"b":{"name":"B","fields":{"name":"Name","2":{"type":"number","max":1.0},"1":"One"}},"2025":{"name":"A"}}',
    )
    expect(problems).toEqual([])
    expect(Object.keys(forms)).toEqual(['b', '2025'])
    expect(Object.keys(forms.b!.fields!)).toEqual(['name', '2', '1'])
    expect(forms.b!.fields!['2']!.max).toBe(1)
  })

  test('takes files of so many bytes, five pictures or documents of 10 MB by default', () => {
    const { forms, problems } = readContent({
      a: { name: 'A', files: {} }, c: { name: 'C', fields: { cv: { type: 'file' } }, extra: 'refuse' },
      b: { name: 'B', files: { max: 1, maxBytes: '1.5 KB', types: ['text/csv'] } },
    })
    expect(problems).toEqual([])
    expect(forms.c!.files).toEqual(forms.a!.files)
    expect([forms.a!.files, forms.b!.files]).toEqual([
      { max: 5, maxBytes: 10 * 2 ** 20, types: ['image/*', 'application/pdf'] },
      { max: 1, maxBytes: 1536, types: ['text/csv'] },
    ])
  })

  test.each([
    [
      'files of no size', { a: { name: 'A', files: { maxBytes: '10' } } },
      'a.files.maxBytes must be a size such as 10 MB',
    ],
    ['files larger than any', { a: { name: 'A', files: { maxBytes: '2 GB' } } }, 'a.files.maxBytes must be between'],
    ['files of any type', { a: { name: 'A', files: { types: ['*/*'] } } }, 'a.files.types.0 must be a media type'],
    [
      'files of a type that none is', { a: { name: 'A', files: { types: ['image/jpg'] } } },
      'a.files.types.0 is image/jpg, but no file is detected as this type: write image/jpeg',
    ],
    [
      'texts that are not told from others', { a: { name: 'A', files: { types: ['image/*', 'text/markdown'] } } },
      'a.files.types.1 is text/markdown, but no file is detected as this type: write text/plain',
    ],
    ['pictures shown by a word', { a: { name: 'A', files: { show: 'yes' } } }, 'a.files.show must be true or false'],
    [
      'more addresses than Resend takes',
      { a: { name: 'A', to: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) } },
      'a.to must have at most 50 addresses',
    ],
    [
      'an endpoint with a user name', { a: { name: 'A', endpoint: 'https://user:secret@example.com' } },
      'a.endpoint must not carry a user name',
    ],
    [
      'an origin with a path', { a: { name: 'A', allowedOrigins: ['https://example.com/contact'] } },
      'a.allowedOrigins.0 must be an origin',
    ],
    [
      'a confirmation without words', { a: { name: 'A', confirm: { subject: 'x', text: ' ' } } },
      'a.confirm.text must not be empty',
    ],
    [
      'a field of no type', { a: { name: 'A', fields: { x: { type: 'files' } } } },
      'a.fields.x.type must be one of text,',
    ],
    ['a limit that files have not', { a: { name: 'A', fields: { x: { type: 'file', max: 1 } } } }, 'a.fields.x.max'],
    [
      'a choice of two lines', { a: { name: 'A', fields: { x: { type: 'select', options: ['S', 'L\nXL'] } } } },
      'a.fields.x.options.1 must not have a line break',
    ],
    [
      'limits that nothing is between', { a: { name: 'A', fields: { x: { type: 'integer', min: 2, max: 1 } } } },
      'a.fields.x.max must be at least min',
    ],
    ['a redirect to no website', { a: { name: 'A', redirect: 'javascript:x' } }, 'a.redirect must be an http(s) URL'],
    ['a text that there is not', { a: { name: 'A', texts: { de: { thank: 'Danke' } } } }, 'a.texts.de'],
    [
      'a language that is none', { a: { name: 'A', texts: { German: {} } } },
      'a.texts.German must be a language such as de or pt-br.',
    ],
    [
      'an address that is none', { a: { name: 'A', to: 'sales' } },
      'a.to must be an email address or a list of them.',
    ],
    ['a name of two lines', { a: { name: 'A\nB' } }, 'a.name must not have a line break'],
    ...['_next', '_subject', '_replyto'].map((field): [string, object, string] => [
      `the field ${field}, which is never data`, { a: { name: 'A', fields: { [field]: { required: true } } } },
      `a.fields.${field} is taken out of every form, as what its page says of it: give the field another name.`,
    ]),
    ['something that is no JSON', '{', 'must be JSON'],
    [
      'the line in which JSON breaks off, and nothing of what stands there',
      '{\n  "a": { "name": "A", "endpoint": "https://example.com/?token=secret", }\n}',
      'cannot be read: must be JSON (line 2 column 72).',
    ],
    ['a list of forms', [{ name: 'A' }], 'FORMS_CONFIG (forms.json): must be an object.'],
    ['a name that is none', { a: { name: 5 } }, 'a.name must be a text.'],
    ['a form without its name', { a: {} }, 'a.name is missing. It must be a text.'],
    [
      'a setting of a field that nothing reads', { a: { name: 'A', fields: { x: { pattern: 'y' } } } },
      'a.fields.x has pattern, which nothing reads. There are label, type, required,',
    ],
    [
      'a limit that is a text', { a: { name: 'A', fields: { x: { type: 'date', min: '1.1.2026' } } } },
      'a.fields.x.min must be a number, or a date such as 2026-11-22.',
    ],
  ])('names %s', (_, content, expectedText) => {
    const { problems } = readContent(content)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(expectedText)
  })

  test('has all mistakes of a file named in one round, also those that others hide', () => {
    const { problems } = readContent(`{
      "a": { "nam": "A", "to": ["a@example.com", "x", "y"], "channels": { "slak": "C1", "discord": "1" } },
      "b": {
        "name": 5, "fields": { "_gotcha": "x", "age": { "min": 1, "maxx": 2 }, "s": { "type": "select" } },
        "extra": "refuse", "files": { "max": 0 }, "confirm": { "subject": "Hi {name}" }
      },
      "c": [], "D": { "name": "D", "endpoint": "crm" }, "e": { "name": "\\n" }, "e": { "name": "E" },
      "people": { "ada": "ops:ada" }
    }`)
    expect(problems.map(problem => problem.replace('FORMS_CONFIG (forms.json): ', ''))).toEqual([
      'has the same key twice in one place (line 7).',
      'a.name is missing. It must be a text.',
      'a.to.1 must be an email address.', 'a.to.2 must be an email address.',
      expect.stringMatching(/^a has nam, which nothing reads\./),
      expect.stringMatching(/^a\.channels\.slak is no platform\./),
      'a.channels.discord is not a configured platform. Configured: slack.',
      'b.name must be a text.',
      'b.confirm.subject must not have a placeholder such as {name}: a confirmation never quotes the form.',
      'b.confirm.text is missing. It must be a text.',
      expect.stringMatching(/^b\.fields\.age has maxx, which nothing reads\./),
      'b.fields.age.min does not apply to the type text.',
      expect.stringMatching(/^b\.fields\.s\.options belongs to the types select, radio, checkboxes/),
      'b.files.max must be at least 1.',
      'b.fields._gotcha is taken out of every form, as FORM_HONEYPOT: give the field another name.',
      'b.no field accepts files, because extra is refuse: give one field the type file.',
      'c must be an object.',
      'D must be a key of lower-case letters, digits and hyphens.', 'D.endpoint must be an http(s) URL.',
      'people.ada must be a list.',
    ])
  })

  test('is warned of a channel that looks unusual', () => {
    const channels = { slack: '#general', discord: '123456789012345678' }
    expect(unusualChannels({ a: { name: 'A', channels }, b: { name: 'B' } })).toEqual([
      'The form a has a channel of slack that looks unusual: must be a channel id such as C0123456789.',
    ])
    expect(readContent({ a: { name: 'A', channels: { slack: 'T0123456789:general' } } }).problems).toEqual([])
  })

  test('may have no field that FORM_HONEYPOT names', () => {
    const problems: string[] = []
    const forms = { a: { name: 'A', fields: { website: 'Website', _gotcha: 'No trap' } } }
    readForms(forms, undefined, null, problems, 'website')
    expect(problems).toEqual([expect.stringContaining('a.fields.website is taken out of every form, as FORM_HONEYPOT')])
  })

  test('is read from a file that begins with the mark of Windows editors', () => {
    expect(readContent(`\uFEFF${JSON.stringify({ a: { name: 'A' } })}`)).toEqual(
      { forms: { a: { name: 'A' } }, problems: [] },
    )
  })

  test('names a file that is not there', () => {
    const problems: string[] = []
    expect(readForms({}, '/nowhere/forms.json', null, problems)).toEqual({ forms: {} })
    expect(problems).toEqual(['FORMS_CONFIG (/nowhere/forms.json) cannot be read: ENOENT.'])
  })

  test('without a file is the built-in one', () => {
    const problems: string[] = []
    expect(readForms(builtIn, undefined, null, problems)).toEqual({ forms: {} })
    expect(problems).toEqual([])
  })
})
