/** What the service does in a channel, by bit: https://discord.com/developers/docs/topics/permissions */
const PERMISSION_BITS = {
  addReactions: 6n,
  viewChannel: 10n,
  sendMessages: 11n,
  embedLinks: 14n,
  readMessageHistory: 16n,
  createPublicThreads: 35n,
  sendMessagesInThreads: 38n,
}

/** Opens Discord's "add to server" dialogue with the bot's scopes and permissions filled in. */
export function discordInviteLink(applicationId: string): string {
  const permissions = String(Object.values(PERMISSION_BITS).reduce((all, bit) => all | 1n << bit, 0n))
  const query = new URLSearchParams({ client_id: applicationId, scope: 'bot applications.commands', permissions })
  return `https://discord.com/oauth2/authorize?${query}`
}
