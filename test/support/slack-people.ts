import { startModelServer, type ModelServer } from './model-server'
import { deploy, type Deployment } from './deployment'
import { blockActions, interact, type Block, type SlackMessage, type SlackUser } from './slack'
import { say } from './slack-talk'
import { until } from './until'

/** A deployment with a model */
export interface AgentDeployment extends Deployment { model: ModelServer }

export async function deployAgent(overrides: Record<string, string> = {}): Promise<AgentDeployment> {
  const model = await startModelServer()
  const deployment = await deploy({
    AI_BASE_URL: model.url, AI_API_KEY: 'model-key', AI_MODEL: 'scripted', ...overrides,
  })
  const close = deployment.close
  return Object.assign(deployment, {
    model,
    close: async () => {
      await close()
      await model.close()
    },
  })
}

interface Said {
  by?: SlackUser
  /** Thread of the message */
  thread?: string
  /** Further fields of the event */
  more?: Block
  /** Used instead of the deployment's first server */
  url?: string
}

/**
 * Sends a user's message to the bot: a mention in the channel, or a message in a thread. Resolves with the message's
 * timestamp once the service has acknowledged it.
 */
export async function tell(
  { slack, server }: AgentDeployment, text: string,
  { by = slack.reviewer, thread, more = {}, url = server.url }: Said = {},
): Promise<string> {
  const words = thread ? text : `<@${slack.botId}> ${text}`
  const ts = await slack.write(by, words, thread)
  const mention = thread ? {} : { type: 'app_mention' }
  return say(url, slack, words, { ts, thread, user: by.id, more: { ...mention, team: by.team_id, ...more } })
}

/** Returns the bot's messages in the thread, once no background work is left. */
export async function heard(d: AgentDeployment, thread: string): Promise<string[]> {
  await d.server.drain()
  return (await d.slack.thread(thread)).filter(({ user }) => user === d.slack.botId).map(({ text }) => text)
}

/** Returns the cards of a thread that still have buttons. */
export async function openCards({ slack }: AgentDeployment, thread: string, count = 1): Promise<SlackMessage[]> {
  const open = async () => (
    (await slack.thread(thread)).filter(({ blocks }) => blocks?.some(({ type }) => type === 'actions'))
  )
  return until(`${count} open cards`, async () => (await open()).length >= count && open())
}

/** Presses Approve or Deny. Resolves once the click is acknowledged. */
export function press(
  { slack, server }: AgentDeployment, card: SlackMessage, action: 'approve' | 'deny',
  { by = slack.reviewer, url = server.url }: { by?: SlackUser, url?: string } = {},
): Promise<Response> {
  const button = card.blocks.find(({ type }) => type === 'actions')!.elements.find(({ action_id }: Block) => (
    action_id === action
  )) as Block
  return interact(url, blockActions(card, action, button.value as string, by))
}

/** Returns all texts of a card, as people read them. */
export function textOf({ blocks }: SlackMessage): string {
  const texts: string[] = []
  JSON.stringify(blocks, (key, value: unknown) => {
    // Timestamps: use the fallback of clients that cannot format them.
    if ((key === 'text' || key === 'fallback') && typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}
