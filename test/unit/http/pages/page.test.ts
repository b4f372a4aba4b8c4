import { expect, test } from 'vitest'
import { sendPage } from '../../../../server/http/pages/page'
import { httpEvent } from '../event'

const page = (language: string) => sendPage(httpEvent(), { language, title: '', body: '', style: '' })

test.each([
  ['en', 'ltr'], ['pt-br', 'ltr'], ['arn', 'ltr'], ['zh-hant', 'ltr'],
  ['ar', 'rtl'], ['fa-ir', 'rtl'], ['he', 'rtl'], ['ur', 'rtl'], ['yi', 'rtl'],
  ['ckb', 'rtl'], ['dv', 'rtl'], ['ps', 'rtl'], ['sd', 'rtl'], ['ug-cn', 'rtl'],
  // A script in the language tag decides.
  ['ku-arab', 'rtl'], ['uz-arab-af', 'rtl'], ['sd-deva', 'ltr'], ['ar-latn-eg', 'ltr'], ['sd-arab', 'rtl'],
])('a page in %s is read %s', (language, direction) => {
  expect(page(language)).toContain(`<html lang="${language}" dir="${direction}">`)
})
