import { defineEventHandler } from 'h3'

/** `GET /api/health`: 200 if the process answers; checks nothing else. */
export default defineEventHandler(() => ({ status: 'ok' }))
