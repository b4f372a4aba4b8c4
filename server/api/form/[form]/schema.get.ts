import { setResponseHeaders } from 'h3'
import { useServices } from '../../../app'
import { route } from '../../../http/errors'
import { namedForm } from '../../../http/form'

/** `GET /api/form/<form>/schema`: what the form takes, as JSON Schema. 200; 404. */
export default route(async (event) => {
  const { form } = namedForm(event, useServices().inbox)
  setResponseHeaders(event, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/schema+json' })
  return form.schema()
})
