import { jsonIn } from '../../../shared/utils/json'

/**
 * Issuer that signs the webhooks of Teams
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#connector-to-bot).
 */
export const CONNECTOR = 'https://api.botframework.com'

/** Parts of an activity that are read. */
export interface Activity {
  id: string
  from?: { id?: string, name?: string }
  serviceUrl?: string
  conversation?: { id?: string }
  replyToId?: string
}

/** Issuer that a token claims, before its signature is checked; null if it is no token. */
export function issuerOf(authorization: string): unknown {
  const [, payload = ''] = authorization.split('.')
  return (jsonIn(Buffer.from(payload, 'base64url').toString()) as { iss?: unknown } | null | undefined)?.iss ?? null
}

/** True if the activity has an address and a conversation; the token is then checked for this address. */
export function isActivity(body: string): boolean {
  const activity = (jsonIn(body) ?? {}) as { serviceUrl?: unknown, conversation?: { id?: unknown } | null }
  const { serviceUrl, conversation } = activity
  return typeof serviceUrl === 'string' && serviceUrl !== '' && typeof conversation?.id === 'string'
}

interface Mention { type?: string, text?: string | null, mentioned?: { id?: string } }

/** Mentions of the bot itself in a message. */
export function ownMentions({ entities = [] }: { entities?: readonly Mention[] }, appId = '-'): Mention[] {
  return entities.filter(({ type, mentioned }) => type === 'mention' && mentioned?.id?.endsWith(appId))
}

/** Replaces the app's name by the bot's in mentions: the SDK treats only the first word of a name as the mention. */
export function renamed(text: string | undefined, botMentions: readonly Mention[], name: string): string {
  return botMentions.reduce((result, { text: mention }) => (
    mention ? result.replaceAll(mention, `<at>${name}</at> `) : result
  ), text ?? '')
}
