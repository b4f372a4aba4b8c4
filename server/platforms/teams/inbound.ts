import { jsonIn } from '../../../shared/utils/json'

/**
 * Who signs what Teams sends
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#connector-to-bot).
 */
export const CONNECTOR = 'https://api.botframework.com'

/** What is read of what Teams sends. */
export interface Activity {
  id: string
  from?: { id?: string, name?: string }
  serviceUrl?: string
  conversation?: { id?: string }
  replyToId?: string
}

/** Whom a token names as its issuer, which its signature has yet to prove; null for what is no token. */
export function issuerOf(authorization: string): unknown {
  const [, payload = ''] = authorization.split('.')
  return (jsonIn(Buffer.from(payload, 'base64url').toString()) as { iss?: unknown } | null | undefined)?.iss ?? null
}

/** Whether it says where it is from: the address is what the token is then checked for. */
export function isActivity(body: string): boolean {
  const activity = (jsonIn(body) ?? {}) as { serviceUrl?: unknown, conversation?: { id?: unknown } | null }
  const { serviceUrl, conversation } = activity
  return typeof serviceUrl === 'string' && serviceUrl !== '' && typeof conversation?.id === 'string'
}

interface Mention { type?: string, text?: string | null, mentioned?: { id?: string } }

/** What in a message mentions the bot itself. */
export function ownMentions({ entities = [] }: { entities?: readonly Mention[] }, appId = '-'): Mention[] {
  return entities.filter(({ type, mentioned }) => type === 'mention' && mentioned?.id?.endsWith(appId))
}

/** What was said, with the bot's name in the place of the app's: of several words only the first would be a mention. */
export function renamed(text: string | undefined, own: readonly Mention[], name: string): string {
  return own.reduce((said, { text }) => text ? said.replaceAll(text, `<at>${name}</at> `) : said, text ?? '')
}
