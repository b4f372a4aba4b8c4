import { request } from 'undici'

/**
 * Sends a request to an emulator over a new connection. Emulators close a connection after five idle seconds, even
 * while the next request is arriving, and tests often pause about that long.
 */
export async function askEmulator<T>(url: string, authorization: string, body?: unknown): Promise<T> {
  const answer = await request(url, {
    method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization, 'content-type': 'application/json' }, reset: true,
  })
  return await answer.body.json() as T
}
