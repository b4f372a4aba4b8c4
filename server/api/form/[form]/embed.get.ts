import { useServices } from '../../../app'
import { namedForm } from '../../../http/form'
import { route } from '../../../http/errors'

/** `GET /api/form/<form>/embed`: HTML of the form to copy into a website; a browser sees it at work. 200; 404. */
export default route(async (event) => {
  const { inbox, formUrl } = useServices()
  const { key, form: { rules } } = namedForm(event, inbox)
  return (await import('../../../http/embed')).embedded(event, rules, `${formUrl}/${key}`)
})
