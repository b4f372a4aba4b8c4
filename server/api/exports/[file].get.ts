import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../app'
import { sendDownload } from '../../http/download'
import { answer, HttpError } from '../../http/errors'
import { requireViewer } from '../../http/viewer'

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json' }

/** `GET /api/exports/<submissions|audit>.<csv|json>`: the whole table as a download. 200, 401, 403, 404, 503. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  await requireViewer(event, services)
  const [, table, format] = /^(submissions|audit)\.(csv|json)$/.exec(getRouterParam(event, 'file') ?? '') as [string, 'submissions' | 'audit', 'csv' | 'json'] | null ?? []
  if (!table || !format) throw new HttpError(404, 'NO_SUCH_EXPORT', 'There are submissions.csv, submissions.json, audit.csv and audit.json.')
  const headers = { 'Content-Type': TYPES[format], 'Content-Disposition': `attachment; filename="${table}.${format}"`, 'Cache-Control': 'no-store' }
  return sendDownload(event, await services.operations.export(table, format), headers)
}))
