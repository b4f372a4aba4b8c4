import type { AgentSessionStatus } from 'chat'

/**
 * Status of the bot in a Slack thread: it works, or waits for people. Slack accepts it from agents only:
 * https://docs.slack.dev/ai/agent-sessions
 */
export class Sessions {
  /** Threads in which the bot works; true if Slack accepted that status. */
  private readonly workingThreads = new Map<string, Promise<boolean>>()

  /** @param call resolves with true if Slack accepted the status */
  constructor(private readonly call: (threadId: string, status: AgentSessionStatus) => Promise<boolean>) {}

  async begin(threadId: string): Promise<void> {
    const acceptance = this.call(threadId, 'processing').catch(() => false)
    this.workingThreads.set(threadId, acceptance)
    await acceptance
  }

  /** Ends the work. `suspended` (waits for people) is sent even if the thread did not show that the bot works. */
  async end(threadId: string, status: AgentSessionStatus = 'active'): Promise<void> {
    const isShown = await this.workingThreads.get(threadId)
    this.workingThreads.delete(threadId)
    if (isShown || status === 'suspended') await this.call(threadId, status)
  }
}
