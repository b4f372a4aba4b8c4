import { setResponseHeaders } from 'h3'
import { useServices } from '../../../app'
import { route } from '../../../http/errors'
import { formKey, requireForm } from '../../../http/form'

/** `GET /api/form/<form>/schema`: JSON Schema of the form's content. 200; 404. */
export default route(async (event) => {
  const form = requireForm(event, useServices().inbox(formKey(event)))
  setResponseHeaders(event, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/schema+json' })
  return form.schema()
})
