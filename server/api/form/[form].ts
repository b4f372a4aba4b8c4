import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../app'
import { readForm } from '../../http/body'
import { HttpError } from '../../http/errors'
import { admit, publicPost } from '../../http/form'

/**
 * `POST /api/form` and `/api/form/<form>`: takes a form from any website, or from those that are listed.
 *
 * 200 `{ status: 'received', submissionId }` once it is stored; 400, 401, 403, 404, 408, 413, 415, 429 and 503.
 */
export default defineEventHandler((event) => {
  const { inbox, readBody, config: { maxBodyBytes } } = useServices()
  const key = getRouterParam(event, 'form', { decode: true }) || undefined
  const form = inbox(key)
  return publicPost(event, form?.rules.allowedOrigins, async () => {
    const hint = `There is no form ${JSON.stringify(key)} here. Add it to forms.config.ts, or send to /api/form.`
    if (!form) throw new HttpError(404, 'UNKNOWN_FORM', hint)
    const submissionId = await form.accept(() => readForm(event, readBody, maxBodyBytes), admit(event, form.rules))
    return { status: 'received', submissionId }
  })
})
