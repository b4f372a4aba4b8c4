import { createHash } from 'node:crypto'
import { handleCacheHeaders, setResponseHeaders, type H3Event } from 'h3'
import type { FormPages, PageText } from '../../ports/form'
import { enhance } from './embed-client.mjs'
import { ERROR_TEXTS } from './form-pages'
import { requestedLanguages, textsFor } from './page-texts'

/** Max age of the script in browsers, s; changed texts and addresses may take this long to arrive. */
const MAX_AGE_S = 600

const USED_TEXTS = ['thanks', 'received', 'later', 'refused', 'broken', 'offline'] as const

/**
 * Returns a script that sends this form without leaving the page, in the visitor's language. Any website may load it.
 * Empty if the browser's copy is current.
 */
export function embedScript(
  event: H3Event, { allowedOrigins: origins = [], redirect, texts: customTexts }: FormPages,
): string {
  const { language, texts } = textsFor(requestedLanguages(event), customTexts)
  const textsOf = (keys: readonly (readonly [string, PageText])[]) => (
    Object.fromEntries(keys.map(([name, key]) => [name, texts[key]]))
  )
  const settings = {
    language, redirect, origins,
    texts: textsOf(USED_TEXTS.map(key => [key, key])),
    errors: textsOf([...Object.entries(ERROR_TEXTS), ['INVALID_FIELDS', 'fields']]),
  }
  const script = `(${String(enhance)})(${JSON.stringify(settings)})\n`
  setResponseHeaders(event, {
    'Content-Type': 'text/javascript; charset=utf-8', 'Content-Language': language, 'Vary': 'Accept-Language',
    'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin',
  })
  const etag = `"${createHash('sha256').update(script).digest('base64url')}"`
  return handleCacheHeaders(event, { etag, maxAge: MAX_AGE_S }) ? '' : script
}
