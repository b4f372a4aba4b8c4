import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { readForm } from '../../http/body/body'
import { admitSender, formKey, publicPost, requireForm } from '../../http/form'
import { wantsPage } from '../../http/request'

/**
 * `POST /api/form` and `/api/form/<form>`: accepts a form from any website, or from listed ones only.
 *
 * 200 `{ status: 'received', submissionId }` once it is stored, 303 if it was sent without a script; 400, 401, 403,
 * 404, 408, 413, 415, 422, 429 and 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  const { log, config: { maxBodyBytes } } = services
  const form = services.inbox(formKey(event))
  return publicPost(event, form?.rules ?? {}, async () => {
    const { enter, rules } = requireForm(event, form)
    const { upload, take } = await enter(admitSender(event, rules))
    const submission = await take(readForm(event, services, maxBodyBytes, upload))
    if (wantsPage(event)) return (await import('../../http/pages/form-pages')).sendOn(event, submission, rules, log)
    return { status: 'received', submissionId: submission.id }
  })
})
