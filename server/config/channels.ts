import { text } from './variable'

/** What names a channel on each platform of the platform table. */
export const channelId = {
  slack: text.regex(/^[CGD][A-Z0-9]{4,}$/, 'it is not a channel id such as C0123456789'),
  discord: text.regex(/^\d{15,21}$/, 'it is not a Discord id, which has 17 to 20 digits'),
  teams: text.regex(/^19:[^;/?#\s]+@[\w.]+$/, 'it is not a channel id such as 19:abc@thread.tacv2'),
  gchat: text.regex(/^spaces\/[\w-]+$/, 'it is not a space such as spaces/AAAAbbbbCCC'),
  telegram: text.regex(/^-?\d+$/, 'it is not a chat id such as -1001234567890'),
} as const

/** What is wrong with the channel of a form, or null: those of other Slack workspaces stand behind the id of one. */
export function channelProblem(platform: string, channel: string): string | null {
  const id = platform === 'slack' ? channel.replace(/^T[A-Z0-9]{4,}:/, '') : channel
  const schema = platform in channelId ? channelId[platform as keyof typeof channelId] : text
  return schema.safeParse(id).error?.issues[0]?.message ?? null
}
