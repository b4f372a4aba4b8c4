import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { readForm } from '../../http/body'
import { admit, formKey, namedForm, publicPost } from '../../http/form'
import { wantsPage } from '../../http/wants-page'

/**
 * `POST /api/form` and `/api/form/<form>`: takes a form from any website, or from those that are listed.
 *
 * 200 `{ status: 'received', submissionId }` once it is stored, 303 for who sent it without a script; 400, 401, 403,
 * 404, 408, 413, 415, 422, 429 and 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  const { inbox, log, config: { maxBodyBytes } } = services
  return publicPost(event, inbox(formKey(event))?.rules ?? {}, async () => {
    const { form } = namedForm(event, inbox)
    const taken = await form.accept(
      upload => readForm(event, services, maxBodyBytes, upload), admit(event, form.rules),
    )
    if (wantsPage(event)) return (await import('../../http/form-pages')).sendOn(event, taken, form.rules, log)
    return { status: 'received', submissionId: taken.id }
  })
})
