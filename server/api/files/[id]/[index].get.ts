import { defineEventHandler, getQuery, getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { answer } from '../../../http/errors'
import { fileHeaders } from '../../../http/files'
import { showRefusal } from '../../../http/pages/refusal-page'
import { sendDownload } from '../../../http/streams'

/** `GET /api/files/<submission>/<number>?key=…`: a file, for everybody who has its address. 200, 404, 410, 503. */
export default defineEventHandler(event => answer(event, async () => {
  const index = /^\d{1,3}$/.test(getRouterParam(event, 'index') ?? '') ? Number(getRouterParam(event, 'index')) : -1
  const { file, content } = await useServices().files.open(
    getRouterParam(event, 'id') ?? '', index, String(getQuery(event).key ?? ''),
  )
  return sendDownload(event, content, fileHeaders(file))
}, refusal => showRefusal(event, refusal, 'This file cannot be opened')))
