import { useServices } from '../../../app'
import { formKey, requireForm } from '../../../http/form'
import { route } from '../../../http/errors'

/** `GET /api/form/<form>/embed.js`: script that sends the form without leaving the page. 200, 304; 404. */
export default route(async (event) => {
  const { rules } = requireForm(event, useServices().inbox(formKey(event)))
  return (await import('../../../http/pages/embed-script')).embedScript(event, rules)
})
