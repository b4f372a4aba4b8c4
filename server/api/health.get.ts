import { defineEventHandler } from 'h3'

/** `GET /api/health`: the process answers. Touches nothing else. 200. */
export default defineEventHandler(() => ({ status: 'ok' }))
