import { useServices } from '../../../app'
import { formKey, requireForm } from '../../../http/form'
import { route } from '../../../http/errors'

/** `GET /api/form/<form>/embed`: HTML of the form to copy into a website; browsers get a preview. 200; 404. */
export default route(async (event) => {
  const { inbox, formUrl } = useServices()
  const { rules } = requireForm(event, inbox(formKey(event)))
  return (await import('../../../http/pages/embed')).embedded(event, rules, `${formUrl}/${rules.key}`)
})
