import type { DiscordDouble } from './discord'
import type { Json } from './types'

/** Calls the REST API, by default as the bot. */
export async function rest(
  discord: DiscordDouble, method: string, path: string, body?: Json, authorization = `Bot ${discord.botToken}`,
): Promise<{ status: number, body: Json }> {
  const response = await fetch(`${discord.restUrl}${path}`, {
    method, headers: { authorization, ...body ? { 'content-type': 'application/json' } : {} },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) as Json : {} }
}

export function post(discord: DiscordDouble, body: Json): Promise<{ status: number, body: Json }> {
  return rest(discord, 'POST', `/channels/${discord.channelId}/messages`, body)
}

export const times = <T>(count: number, make: (index: number) => T) => Array.from(
  { length: count }, (_, index) => make(index),
)
export const button = (index: number, more: Json = {}) => ({
  type: 2, style: 1, label: 'Press', custom_id: `b${index}`, ...more,
})
export const row = (...components: Json[]) => ({ type: 1, components })
