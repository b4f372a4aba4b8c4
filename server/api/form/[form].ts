import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../app'
import { readForm } from '../../http/body'
import { HttpError } from '../../http/errors'
import { admit, publicPost } from '../../http/form'

/**
 * `POST /api/form` and `/api/form/<form>`: takes a form from any website, or from those that are listed.
 *
 * 200 `{ status: 'received', submissionId }` once it is stored; 400, 401, 403, 404, 408, 413, 415, 429 and 503 as `{ error, code }`.
 */
export default defineEventHandler((event) => {
  const { inbox, readBody, config: { maxBodyBytes } } = useServices()
  const key = getRouterParam(event, 'form', { decode: true }) || undefined
  const form = inbox(key)
  return publicPost(event, form?.rules.allowedOrigins, async () => {
    if (!form) {
      const shown = JSON.stringify(key)
      throw new HttpError(404, 'UNKNOWN_FORM', `There is no form ${shown} here. Add it to forms.config.ts, or send to /api/form.`)
    }
    const sender = admit(event, form.rules)
    return { status: 'received', submissionId: await form.accept(() => readForm(event, readBody, maxBodyBytes), sender) }
  })
})
