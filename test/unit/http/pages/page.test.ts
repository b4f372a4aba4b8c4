import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { createEvent } from 'h3'
import { expect, test } from 'vitest'
import { sendPage } from '../../../../server/http/pages/page'

function page(language: string): string {
  const incoming = new IncomingMessage(new Socket())
  return sendPage(createEvent(incoming, new ServerResponse(incoming)), { language, title: '', body: '', style: '' })
}

test.each([
  ['en', 'ltr'], ['pt-br', 'ltr'], ['arn', 'ltr'], ['zh-hant', 'ltr'],
  ['ar', 'rtl'], ['fa-ir', 'rtl'], ['he', 'rtl'], ['ur', 'rtl'], ['yi', 'rtl'],
  ['ckb', 'rtl'], ['dv', 'rtl'], ['ps', 'rtl'], ['sd', 'rtl'], ['ug-cn', 'rtl'],
  // A script in the language tag decides.
  ['ku-arab', 'rtl'], ['uz-arab-af', 'rtl'], ['sd-deva', 'ltr'], ['ar-latn-eg', 'ltr'], ['sd-arab', 'rtl'],
])('a page in %s is read %s', (language, direction) => {
  expect(page(language)).toContain(`<html lang="${language}" dir="${direction}">`)
})
