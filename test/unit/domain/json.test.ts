import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prettyJson, readExactly, SentNumber } from '../../../app/utils/exact-json'
import { isNumber, parseJson, RepeatedKey } from '../../../server/domain/json'
import { runs } from '../../support/properties'

const NUMBERS = [
  '12345678901234567890', '1.0', '-0', '0.0', '1e400', '-1E-7', '1e5', '0.1000', '9007199254740993',
  '0.30000000000000004', '5', '-1.5',
]

describe('parsing without changing a value', () => {
  test.each(NUMBERS)('%s is written as it was read, at any depth', (number) => {
    const text = `{"a":${number},"list":[${number},{"b":[${number}]}],"text":"${number}"}`
    const value = parseJson(text) as { a: unknown }
    expect(JSON.stringify(value)).toBe(text)
    expect(isNumber(value.a)).toBe(true)
    expect(JSON.stringify(parseJson(JSON.stringify(value)))).toBe(text)
  })

  test('what JavaScript keeps is what JSON.parse makes of it', () => {
    fc.assert(fc.property(fc.json(), (text) => {
      const plain = JSON.stringify(JSON.parse(text))
      expect(parseJson(plain)).toEqual(JSON.parse(plain))
    }))
  })

  test('any value of any JSON comes back as it was sent', () => {
    const number = fc.oneof(
      fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.bigInt().map(String),
    )
    const { tree } = fc.letrec<{ tree: string, list: string, object: string }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' }, number, fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)), tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }).map(items => `[${items.join(',')}]`),
      object: fc.dictionary(
        fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 4 },
      ).map(entries => `{${Object.entries(entries).filter(([key]) => !/^\d+$/.test(key)).map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    }))
    fc.assert(fc.property(tree, (text) => {
      expect(JSON.stringify(parseJson(text))).toBe(text)
      expect(JSON.stringify(parseJson(prettyJson(text)))).toBe(text)
    }), { numRuns: runs(500) })
  })

  test.each([
    '{"a":1,"a":2}', '{"x":[{"a":1,"b":{"a":1},"a":2}]}', '{"a":1,"\\u0061":2}', '{"__proto__":1,"__proto__":2}',
    '{"":1 , "" : 2}', '{"a\\"":1,"a\\"":2}', '{"a":1,"a":1}',
  ])('%s repeats a key', text => expect(() => parseJson(text)).toThrow(RepeatedKey))

  test.each([
    '{"a":{"a":{"a":1}}}', '[{"a":1},{"a":2}]', '{"a":"\\"a\\":1,\\"a\\":2"}', '{"a\\\\":1,"a":2}',
    '{"a":["a","a"],"A":1}',
  ])('%s does not', text => expect(JSON.stringify(parseJson(text))).toBe(text))

  test.each(['', '{', '{"a":1,}', '{"a":01}', '{"a":1.}', 'nul', '{"a":+1}'])('%j is no JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})

describe('showing what was sent', () => {
  test('numbers are told from texts that look like them', () => {
    expect(readExactly('{"n1":1.0,"s":"s1","list":["n5",-0,true,null],"quote":"a\\"1.0"}')).toEqual({
      n1: new SentNumber('1.0'), s: 's1', list: ['n5', new SentNumber('-0'), true, null], quote: 'a"1.0',
    })
  })

  test('many lines of JSON hold the same values', () => {
    expect(
      prettyJson('{"a":1.0,"b":["12",1e400,"n1"],"c\\"":{}}'),
    ).toBe('{\n  "a": 1.0,\n  "b": [\n    "12",\n    1e400,\n    "n1"\n  ],\n  "c\\"": {}\n}')
  })
})
