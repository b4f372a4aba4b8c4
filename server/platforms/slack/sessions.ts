import type { AgentSessionStatus } from 'chat'

/**
 * Status of the bot in a thread of Slack: it works, or waits for people. Slack takes it from agents only:
 * https://docs.slack.dev/ai/agent-sessions
 */
export class Sessions {
  /** Threads in which the bot works: whether Slack took that. */
  private readonly working = new Map<string, Promise<boolean>>()

  /** @param call resolves with whether Slack took it */
  constructor(private readonly call: (threadId: string, status: AgentSessionStatus) => Promise<boolean>) {}

  async begin(threadId: string): Promise<void> {
    const begun = this.call(threadId, 'processing').catch(() => false)
    this.working.set(threadId, begun)
    await begun
  }

  /** A thread waits for people also where it did not show that the bot works. */
  async end(threadId: string, status: AgentSessionStatus = 'active'): Promise<void> {
    const isShown = await this.working.get(threadId)
    this.working.delete(threadId)
    if (isShown || status === 'suspended') await this.call(threadId, status)
  }
}
