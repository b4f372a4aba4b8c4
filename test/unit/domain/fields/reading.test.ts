import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdits, editInputs } from '../../../../server/domain/fields/edits'
import { readFields } from '../../../../server/domain/fields/fields'
import { jsonOf, PARSED, type Path } from '../../../../server/domain/fields/paths'
import { answerNamed, readingOf } from '../../../../server/domain/fields/reading'
import { displayText } from '../../../../server/domain/fields/values'
import { isNumber, parseJson } from '../../../../server/domain/json'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formData } from '../../../fixtures/form-data'
import { dataOf, isOneChange, PROVIDERS } from '../../../fixtures/providers'
import { FURTHER, ORDINARY } from '../../../fixtures/bodies'
import { submission } from '../../../fixtures/submissions'

const read = (data: unknown) => readingOf(data as SubmissionData)
const readSent = (body: unknown) => read(parseJson(JSON.stringify(body)) as SubmissionData)
const textOf = (answer: Parameters<typeof displayText>[0]) => displayText(answer, {})

/** Follows the steps of a path. */
function valueAt(data: unknown, path: Path): unknown {
  return path.reduce((value, step) => (
    step === PARSED ? jsonOf(value) : (value as Record<string | number, unknown>)[step]
  ), data)
}

/** Paths of all values except lists and objects; includes values in texts that contain JSON */
function leafPaths(value: unknown, path: Path = []): Path[] {
  const parsedValue = jsonOf(value)
  if (parsedValue) return leafPaths(parsedValue, [...path, PARSED])
  if (typeof value !== 'object' || value === null || isNumber(value)) return [path]
  return Object.entries(value).flatMap(([key, each]) => (
    leafPaths(each, [...path, Array.isArray(value) ? Number(key) : key])
  ))
}

/** Path of the question with this value, if it is in a list or object of questions; otherwise the value's own path */
function questionPath(path: Path): Path {
  const position = path.findIndex(step => typeof step === 'number')
  const value = path.lastIndexOf('value')
  if (position > 0) return path.slice(0, position + 1)
  return value > 1 ? path.slice(0, value) : path
}

describe.each(PROVIDERS)('$provider', (fixture) => {
  test('is read as its questions and answers, in order', async () => {
    const { answers } = read(await dataOf(fixture))
    const expectedLabels = fixture.answers.map(([label]) => label)
    const shownAnswers = answers.filter(({ label }) => expectedLabels.includes(label))
    expect(shownAnswers.map(({ label }) => label)).toEqual(expectedLabels)
    for (const [index, [, texts]] of fixture.answers.entries()) {
      for (const text of [texts].flat()) expect(textOf(shownAnswers[index]!)).toContain(text)
    }
  })

  test('has no JSON and no machinery in its answers', async () => {
    const { answers } = read(await dataOf(fixture))
    const texts = answers.flatMap(answer => [answer.label, textOf(answer)]).join('\n')
    expect(['{"', '[object', ...fixture.machinery].filter(text => texts.includes(text))).toEqual([])
  })

  test('keeps every value', async () => {
    const data = await dataOf(fixture)
    const { answers, technical } = read(data)
    const all = [...answers, ...technical]
    // Flat data has a separate key for each field of a question, such as `fields[email][title]`.
    const steps = (path: Path): Path => path.flatMap<Path[number]>(
      step => typeof step === 'string' ? step.split(/\]?\[|\]$/) : [step],
    )
    const kept = all.map(({ path }) => questionPath(steps(path)))
    const lost = leafPaths(data).filter(leaf => !kept.some(path => path.every((step, at) => steps(leaf)[at] === step)))
    expect(lost).toEqual([])
    expect(all.filter(({ path, value }) => JSON.stringify(valueAt(data, path)) !== JSON.stringify(value))).toEqual([])
  })

  test.runIf(fixture.edit)('changes by an edit in this one value', async () => {
    const data = await dataOf(fixture)
    const input = editInputs(data).find(({ value }) => value === fixture.edit)!
    const edit = applyEdits(data, { [input.id]: 'Something else' })
    if ('errors' in edit) throw new Error(JSON.stringify(edit.errors))
    expect(edit.edited).toEqual([input.key])
    expect(isOneChange(JSON.stringify(data), JSON.stringify(edit.data), fixture.edit!, 'Something else')).toBe(true)
    expect(textOf(answerNamed(input.key, edit.data as SubmissionData)!)).toBe('Something else')
  })

  test('is read alike after each edit', async () => {
    const data = await dataOf(fixture)
    const keysOf = (edited: unknown) => read(edited).answers.map(({ key }) => key)
    for (const { id } of editInputs(data)) for (const text of ['Something else', '']) {
      const edit = applyEdits(data, { [id]: text })
      if (!('errors' in edit)) expect(keysOf(edit.data)).toEqual(keysOf(data))
    }
  })
})

describe('a body of a further provider', () => {
  test.each([...FURTHER])('is read: %s', (_provider, body, answers, technical) => {
    const reading = readSent(body)
    const lines = reading.answers.map(answer => `${answer.label}: ${textOf(answer).replaceAll('\n', ', ')}`)
    expect(lines.join('; ')).toBe(answers)
    if (technical !== undefined) expect(reading.technical.map(({ label }) => label).join(' ')).toBe(technical)
  })
})

describe('a form of an ordinary website', () => {
  test.each(ORDINARY)('stays as it is: %s', (_name, body) => {
    const { answers, technical } = readSent(body)
    expect(answers.map(({ key }) => key)).toEqual(Object.keys(body))
    expect(technical).toEqual([])
  })

  test('keeps the answers beside a list of questions', () => {
    const { answers } = readSent({
      name: 'Ada', customer: { city: 'Vienna' }, answers: [{ question: 'Coming?', answer: 'yes' }], newsletter: 'yes',
      phone_number: '4366412345', appointment: '2026-12-01T10:00', consent: true,
    })
    expect(answers.map(({ label }) => label)).toEqual([
      'name', 'customer', 'Coming?', 'newsletter', 'phone_number', 'appointment', 'consent',
    ])
  })

  test('keeps its own fields beside a list of questions, whatever they are called', () => {
    const { answers, technical } = readSent({
      'name': 'Ada', 'score': 8, 'tags': ['new'], 'version': 'Pro', 'resume_url': 'https://x.example/cv.pdf',
      'answers': [{ id: 1, value: 'a' }, { id: 2, value: 'b' }], 'g-recaptcha-response': 'x',
    })
    expect(answers.map(({ label }) => label)).toEqual(['name', 'score', 'tags', 'version', 'resume_url', '1', '2'])
    expect(technical.map(({ key }) => key)).toEqual(['g-recaptcha-response'])
  })

  test('folds only what proves that a person sent it', () => {
    const proofs = [
      'g-recaptcha-response', 'h-captcha-response', 'cf-turnstile-response', 'frc-captcha-solution', 'altcha',
      'authenticity_token', '_csrf', 'csrfmiddlewaretoken', '__RequestVerificationToken', 'utf8', '_charset_', '_wpcf7',
      '_wpcf7_unit_tag', '_wpnonce', '_wp_http_referer', '__VIEWSTATE',
    ]
    const { answers, technical } = readSent({
      name: 'Ada', ...Object.fromEntries(proofs.map(key => [key, 'x'])), token: 'A', message: 'Hello',
    })
    expect(answers.map(({ key }) => key)).toEqual(['name', 'token', 'message'])
    expect(technical.map(({ key }) => key)).toEqual(proofs)
  })

  test('is a field a key, whatever its values are', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const key = fc.string().filter(each => /^[a-z]{0,3}$/.test(each))
    fc.assert(fc.property(fc.dictionary(key, scalar), (data) => {
      const isPlain = Object.values(data).every(value => !jsonOf(value))
      fc.pre(isPlain)
      const { answers } = read(data)
      expect(answers.map(({ key, label, value }) => [key, label, value])).toEqual(
        Object.entries(data).map(([each, value]) => [each, each, value]),
      )
    }))
  })
})

test('true and false of a question are shown as Yes and No, and edited as a checkbox', () => {
  const data = { form_id: '1', submission_id: '2', fields: [
    { label: 'Newsletter', value: true }, { label: 'Terms', value: false },
  ] }
  const fieldsOf = (settings: object) => readFields(submission({ data }), settings).map(({ value }) => value)
  expect(fieldsOf({}).slice(0, 2)).toEqual(['Yes', 'No'])
  expect(fieldsOf({ fields: { Newsletter: { type: 'text' } } }).slice(0, 2)).toEqual(['true', 'No'])
  const [newsletter] = editInputs(data)
  expect(newsletter).toMatchObject({ value: 'true', rule: { type: 'checkbox' } })
  expect(applyEdits(data, { [newsletter!.id]: 'off' })).toMatchObject({ data: { fields: [{ value: false }, {}] } })
  expect(readFields(submission({ data: { newsletter: true } }), {}).map(({ value }) => value)).toEqual(['true'])
})

test('a form whose names are all like those of providers keeps only its proofs folded', () => {
  const { answers, technical } = readSent({ 'form_name': 'VIP', 'account_id': '99', 'g-recaptcha-response': 'x' })
  expect([answers, technical].map(list => list.map(({ key }) => key))).toEqual([
    ['form_name', 'account_id'], ['g-recaptcha-response'],
  ])
})

test('a body of more than 5,000 values is read as it was sent', () => {
  const bodyOf = (count: number) => ({
    form_id: '1', submission_id: '2', data: { fields: Array.from({ length: count }, (_, at) => (
      { label: `Question ${at}`, value: '1' }
    )) },
  })
  expect(readSent(bodyOf(1600)).answers).toHaveLength(1600)
  const vastData = bodyOf(1700)
  expect(readSent(vastData)).toEqual({ technical: [], answers: Object.entries(vastData).map(
    ([key, value]) => ({ key, path: [key], label: key, value }),
  ) })
})

test('an empty list or object in a text is shown and edited as typed', () => {
  const data = { note: '{}', list: ' [] ', lines: ['{}', 'b'] }
  expect(read(data).answers.map(textOf)).toEqual(['{}', ' [] ', '{}\nb'])
  expect(editInputs(data).map(({ value }) => value)).toEqual(['{}', ' [] ', '{}\nb'])
})

test('a question that nobody answered has no text, and can be answered', () => {
  const data = { formId: 'f', submittedAt: 't', fields: [
    { id: '1', label: 'Name', value: 'Ada' }, { id: '2', label: 'Phone', value: null }, { id: '3', label: 'Note' },
  ] }
  const { answers, technical } = read(data)
  expect(answers.map(answer => [answer.label, textOf(answer)])).toEqual([['Name', 'Ada'], ['Phone', '']])
  expect(technical.map(({ label }) => label)).toContain('Note')
  const { id } = editInputs(data)[1]!
  expect(applyEdits(data, { [id]: '' })).toMatchObject({ edited: [] })
  expect(applyEdits(data, { [id]: '0664' })).toMatchObject({ data: { fields: [{}, { value: '0664' }, {}] } })
})

describe('nobody can hide a value from a reviewer', () => {
  const provider = { form_id: '1', submission_id: '2' }

  test.each<[string, object, string]>([
    ['beside the list of Netlify', {
      iban: 'X', ordered_human_fields: [{ title: 'A', name: 'a', value: 'b' }],
    }, 'iban'],
    ['beside the request of Jotform', {
      iban: 'X', formID: '1', submissionID: '2', rawRequest: '{"q1_a":"b"}',
    }, 'iban'],
    ['in an entry of Gravity Forms', { 1: 'a', iban: 'X', form_id: '1', date_created: 'd', is_read: '0' }, 'iban'],
    ['in a question', {
      ...provider, fields: [{ label: 'A', value: 'b', iban: 'X' }, { label: 'B', value: 'c' }],
    }, 'A: iban'],
    ['beside questions', { q1: 'a', data: ['X'], questions: [{ id: 'q1', title: 'A' }] }, 'data'],
    ['as a second answer', { ...provider, fields: [{ label: 'A', value: 'b', answer: 'X' }] }, 'A: answer'],
    ['in a question of PHP', {
      'fields[a][label]': 'A', 'fields[a][value]': 'b', 'fields[a][iban]': 'X', 'form[id]': '1', 'form[name]': 'f',
    }, 'A: iban'],
  ])('%s', (_place, body, label) => {
    expect(readSent(body).answers.find(({ value }) => value === 'X')?.label).toBe(label)
  })

  test.each<[object, string]>([
    [{ ...provider, answers: [{ label: 'amount', value: '10' }], data: { amount: '900' } }, 'data.amount: 900; '],
    [{ ...provider, data: { amount: '10' }, meta: { Amount: 900 } }, 'meta.Amount: 900; '],
    [{ email: 'b@x.example', ordered_human_fields: [
      { title: 'Email', name: 'email', value: 'a@x.example' },
    ] }, 'email: b@x.example'],
  ])('behind an answer of the same name: %j', (body, start) => {
    const data = parseJson(JSON.stringify(body)) as SubmissionData
    const technical = readFields(submission({ data }), { labels: {} }).at(-1)!
    expect(technical).toMatchObject({ label: 'Technical details', value: expect.stringMatching(`^${start}`) as string })
  })

  test('beside a value in an object', () => {
    const [message, plan] = readSent({
      message: { value: 'Hi', type: 'Pay 900 at once' }, plan: { value: 'Basic', type: 'text', ids: ['7'] },
    }).answers
    expect([textOf(message!), textOf(plan!)]).toEqual(['value: Hi\ntype: Pay 900 at once', 'Basic'])
    expect(textOf(read(parseJson('{"plan":{"value":"Basic","id":1.0}}')).answers[0]!)).toBe('Basic')
  })

  test('as the raw value of a question, which is folded as long as it says the same', () => {
    const fieldsOf = (raw: string) => readFields(submission({ data: { ...provider, fields: {
      a: { id: 'a', title: 'Amount', value: '10', raw_value: raw }, b: { title: 'B', value: 'c' },
    } } }), {}).map(({ label, value }) => `${label}: ${value}`)
    expect(fieldsOf('10')).toEqual(['Amount: 10', 'B: c', 'Technical details: form_id, submission_id'])
    expect(fieldsOf('900')[2]).toBe('Technical details: Amount: 900; form_id, submission_id')
  })

  test.each<[object, string]>([
    [{ label: 'Basic', value: 99999 }, 'label: Basic\nvalue: 99999'],
    [{ value: '10', raw_value: '900' }, 'value: 10\nraw_value: 900'],
    [{ label: 'Monday', value: '2026-12-04T10:00:00Z' }, 'label: Monday\nvalue: 2026-12-04T10:00:00Z'],
  ])('beside a text that says something else: %j', (plan, text) => {
    expect(textOf(readSent({ plan }).answers[0]!)).toBe(text)
  })

  test('behind the end of a long text', () => {
    const start = 'the same '.repeat(20)
    const [answer] = readSent({ plan: { label: `${start}10`, value: `${start}900` } }).answers
    expect(textOf(answer!)).toContain('900')
  })

  test('behind the text of a choice of their own', () => {
    const questions = [{ id: 'amount', title: 'Amount', options: [{ id: '900', text: '10' }] }]
    const [answer] = readSent({ amount: '900', questions }).answers
    expect([answer!.label, textOf(answer!)]).toEqual(['Amount', '900'])
  })

  test('by a path that is spelled alike', () => {
    const data = parseJson('{"a.b":"1","a":{"b":"2"}}') as SubmissionData
    const settings = { labels: { 'a.b': 'Amount' } }
    const [, inner] = editInputs(data, settings)
    const edit = applyEdits(data, { [inner!.id]: '3' }, settings)
    expect(edit).toEqual({ data: { 'a.b': '1', 'a': { b: '3' } }, edited: ['a.b*'] })
    const editedSubmission = submission({ data: (edit as { data: SubmissionData }).data, edited: ['a.b*'] })
    expect(readFields(editedSubmission, settings).map(({ edited }) => edited)).toEqual([false, true])
  })
})

describe('hostile data', () => {
  const property = (arbitrary: fc.Arbitrary<object>) => fc.assert(fc.property(arbitrary, (data) => {
    const { answers, technical } = read(data)
    for (const answer of [...answers, ...technical]) {
      expect(JSON.stringify(valueAt(data, answer.path))).toBe(JSON.stringify(answer.value))
      expect(typeof textOf(answer)).toBe('string')
    }
  }))

  test('is read without an error, and each path leads to its value', () => {
    property(formData)
    const name = fc.constantFrom(
      'data', 'fields', 'answers', 'value', 'label', 'id', 'form_id', 'type', 'name', 'event', '__proto__', '2', 'text',
      'title', 'options', 'created_at', 'payload', 'questions',
    )
    const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'medium' }, fc.string(), fc.integer(), fc.constant(null), fc.constant('{"label":"a","value":"b"}'),
        fc.array(tie('tree'), { maxLength: 4 }), fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
      ),
    }))
    property(fc.dictionary(name, tree).map(data => parseJson(JSON.stringify(data)) as object))
  })

  const nested = (depth: number, inner: string) => '{"data":'.repeat(depth) + inner + '}'.repeat(depth)
  const list = (length: number, item: (index: number) => string) => Array.from({ length }, (_, at) => item(at)).join()
  const bodies: [name: string, text: (kilobytes: number) => string][] = [
    ['keys', size => `{${list(size * 60, at => `"k${at}":"v"`)}}`],
    ['containers', size => `{"id":1,${list(size * 30, at => `"a${at}_data":{"a":1}`)}}`],
    ['containers of JSON', size => `{"id":1,${list(size * 20, at => `"a${at}_data":"{\\"a\\":1}"`)}}`],
    ['questions', size => `{"fields":[${list(size * 20, at => `{"id":"q${at}","label":"Q","value":"v${at}"}`)}]}`],
    ['answers by id', size => `{"questions":[${list(size * 10, at => `{"id":"q${at}","title":"Q"}`)}],"answers":[${
      list(size * 10, at => `{"id":"q${at}","text":"v"}`)}]}`],
    ['choices', size => `{"fields":[{"label":"a","value":"b","options":[${list(size * 30, at => `{"id":"${at}","text":"x"}`)}]}]}`],
    ['keyed questions', size => `{"id":"1","fields":{${list(size * 20, at => `"q${at}":{"value":"v","type":"t"}`)}}}`],
    ['copies', size => `{"fields":[${list(size * 10, at => `{"label":"a${at}","value":"v"}`)}],${
      list(size * 10, at => `"f${at}_data":{"a1":1}`)}}`],
    ['nested lists', size => `{"a":[${list(size * 4, () => '['.repeat(90) + ']'.repeat(90))}]}`],
    ['envelopes', size => `{"id":1,"data":[${list(size * 3, () => nested(40, '{"a":1}'))}]}`],
    ['sections', size => `{"pages":[${list(size * 20, at => `{"questions":[{"heading":"${at}","answer":"a"}]}`)}]}`],
    ['a long key', size => `{"id":1,"data":{"${'aA_'.repeat(size * 300)}":1},"${'_a'.repeat(size * 100)}":"a"}`],
    ['a long word', size => `{"data":{"a":1},"type":"${'a_'.repeat(size * 400)}!","event":"${'aB'.repeat(size * 100)}!"}`],
    ['integer keys', size => `{${list(size * 80, at => `"${size * 80 - at}":"v"`)}}`],
  ]

  test.each(bodies)('is read in proportion to its size: %s', (_name, text) => {
    const fastest = (kilobytes: number) => {
      const times = Array.from({ length: 5 }, () => {
        const data = parseJson(text(kilobytes)) as SubmissionData
        const start = performance.now()
        const { answers, technical } = readingOf(data)
        expect(answers.length + technical.length).toBeGreaterThan(0)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    fastest(32)
    // In linear time, four times the size takes four times as long; in quadratic time, sixteen times. Compare small
    // bodies as well, because large ones have too many values to be analyzed.
    expect(fastest(32)).toBeLessThan(Math.max(10 * fastest(8), 30))
    expect(fastest(256)).toBeLessThan(Math.max(10 * fastest(64), 400))
  })

  test('of an HTML form is read in proportion to its size', () => {
    const fastest = (count: number) => {
      const times = Array.from({ length: 6 }, () => {
        const data = Object.fromEntries(Array.from({ length: count }, (_, at) => [`fields[f${at}][value][a]`, 'x']))
        const start = performance.now()
        readingOf(data)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    fastest(500)
    expect(fastest(8000)).toBeLessThan(Math.max(10 * fastest(2000), 400))
  })
})
