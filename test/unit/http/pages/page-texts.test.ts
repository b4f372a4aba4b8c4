import { expect, test } from 'vitest'
import { textsFor } from '../../../../server/http/pages/page-texts'
import { PAGE_TEXTS } from '../../../../server/ports/form'

test.each([
  ['', 'en'], ['de', 'de'], ['de-AT,de;q=0.9,en;q=0.8', 'de'], ['pl,fr;q=0.5,de;q=0.7', 'de'], ['pl', 'en'],
  ['*', 'en'], ['ES-mx', 'es'], ['de;q=0, fr;q=0.1', 'fr'], ['de;q=x,fr', 'fr'], ['constructor,__proto__', 'en'],
  ['de;q=0', 'en'], [',;q=,,', 'en'],
])('%j is answered in %s', (header, language) => expect(textsFor(header).language).toBe(language))

test.each(['en', 'de', 'fr', 'es'])('%s says everything, each in its own words', (language) => {
  const { texts } = textsFor(language)
  expect(PAGE_TEXTS.filter(name => !texts[name])).toEqual([])
  expect(texts.later).toContain('{seconds}')
  expect(texts.back).toContain('{site}')
  if (language !== 'en') expect(PAGE_TEXTS.filter(name => texts[name] === textsFor('en').texts[name])).toEqual([])
})

test('a form says it in its own words, in a language of its own too, and otherwise as any form', () => {
  const own = { 'de': { thanks: 'Danke, Ada!' }, 'pt': { thanks: 'Obrigada!' }, 'pt-br': { received: 'Chegou.' } }
  expect(textsFor('de', own).texts).toMatchObject({ thanks: 'Danke, Ada!', received: 'Ihr Formular ist angekommen.' })
  expect(textsFor('pt-BR', own)).toMatchObject({ language: 'pt-br', texts: {
    thanks: 'Obrigada!', received: 'Chegou.', reference: 'Reference',
  } })
})

test.each([
  ['zh-Hant-TW', 'zh-hant'], ['zh-Hant', 'zh-hant'], ['zh-Hant-HK', 'zh-hant-hk'], ['zh-TW', 'en'],
  ['sr-Latn-RS,sr;q=0.9', 'sr-latn'], ['sr-RS', 'en'],
])('%s is answered in %s, by the nearest of the languages that it is a kind of', (header, language) => {
  const own = { 'zh-hant': { thanks: '謝謝！' }, 'zh-hant-hk': { received: '收到。' }, 'sr-latn': { thanks: 'Hvala!' } }
  const { language: answered, texts } = textsFor(header, own)
  expect(answered).toBe(language)
  if (language === 'zh-hant-hk') expect(texts).toMatchObject({ thanks: '謝謝！', received: '收到。' })
})
