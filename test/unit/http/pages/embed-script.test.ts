import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { embedScript } from '../../../../server/http/pages/embed-script'
import type { FormPages } from '../../../../server/ports/form'
import { httpEvent } from '../event'

const FORM: FormPages = { key: 'contact', allowedOrigins: ['https://shop.example'], redirect: 'https://shop.example/a' }

const scriptIn = (language: string, form = FORM) => embedScript(httpEvent({ 'accept-language': language }), form)

test.each(['en', 'de', 'fr', 'es'])('the script has at most 4 KB compressed, in %s', (language) => {
  expect(gzipSync(scriptIn(language)).length).toBeLessThanOrEqual(4096)
})

test('the script has the texts of its form, and is a script whatever they say', () => {
  const thanks = '</script>"\u2028\' ${a}\\'
  const script = scriptIn('pt', { ...FORM, texts: { pt: { thanks } } })
  expect(script).toContain(JSON.stringify(thanks))
  expect(() => new Function(script)).not.toThrow()
})

test('the script needs no policy that a strict page lacks', () => {
  expect(scriptIn('en')).not.toMatch(/\beval\b|new Function|innerHTML|\.style\b|\bon\w+=/)
})
