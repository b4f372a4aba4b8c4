import { request } from 'undici'

/**
 * What an emulator answers, by a connection of its own: emulators close one that was silent for five seconds, also
 * while something is on its way, and time limits in tests are as long.
 */
export async function askEmulator<T>(url: string, authorization: string, body?: unknown): Promise<T> {
  const answer = await request(url, {
    method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization, 'content-type': 'application/json' }, reset: true,
  })
  return await answer.body.json() as T
}
