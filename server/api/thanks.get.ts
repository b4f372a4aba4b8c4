import { getQuery } from 'h3'
import { useServices } from '../app'
import { route } from '../http/errors'

/** `GET /api/thanks?form&id`: page for a browser that sent a form without a script. 200. */
export default route(async (event) => {
  const { form } = getQuery(event)
  const inbox = useServices().inbox(typeof form === 'string' ? form : undefined)
  return (await import('../http/pages/form-pages')).thanksPage(event, inbox?.rules ?? {})
})
