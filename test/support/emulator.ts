import { request } from 'undici'

/**
 * Asks an emulator over a new connection. Emulators close a connection that was idle for five seconds, even while a
 * request is on its way, and tests wait about as long.
 */
export async function askEmulator<T>(url: string, authorization: string, body?: unknown): Promise<T> {
  const answer = await request(url, {
    method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization, 'content-type': 'application/json' }, reset: true,
  })
  return await answer.body.json() as T
}
