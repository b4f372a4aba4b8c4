import { getRouterParam } from 'h3'
import { useServices } from '../../app'
import { HttpError } from '../../http/errors'
import { sendDownload } from '../../http/streams'
import { viewerRoute } from '../../http/auth/viewer'

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json' }

type ExportName = [string, 'submissions' | 'audit' | 'deliveries', 'csv' | 'json']

/** `GET /api/exports/<submissions|audit|deliveries>.<csv|json>`: the table as a download. 200, 401, 403, 404, 503. */
export default viewerRoute(useServices, async ({ operations }, event) => {
  const name = getRouterParam(event, 'file') ?? ''
  const exportName = /^(submissions|audit|deliveries)\.(csv|json)$/.exec(name) as ExportName | null
  if (!exportName) throw new HttpError(
    404, 'NO_SUCH_EXPORT', 'There are submissions, audit and deliveries, each as .csv and .json.',
  )
  const [file, table, format] = exportName
  const headers = {
    'Content-Type': TYPES[format], 'Content-Disposition': `attachment; filename="${file}"`, 'Cache-Control': 'no-store',
  }
  return sendDownload(event, await operations.export(table, format), headers)
})
