import { defineEventHandler } from 'h3'
import { useServices } from '../app'
import { admit } from '../http/admission'
import { readForm } from '../http/body'
import { publicPost } from '../http/cors'

/**
 * `POST /api/form`: takes a form from any website, or from those that are listed.
 *
 * 200 `{ status: 'received', submissionId }` once it is stored; 400, 401, 403, 413, 415, 429 and 503 as `{ error, code }`.
 */
export default defineEventHandler((event) => {
  const { receive, limiter, config: { form, maxBodyBytes } } = useServices()
  return publicPost(event, form.allowedOrigins, async () => {
    const sender = await admit(event, form, limiter)
    const submissionId = await receive(await readForm(event, maxBodyBytes), sender)
    return { status: 'received', submissionId }
  })
})
