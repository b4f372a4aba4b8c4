import { withinOrNull } from '../../../shared/utils/time'
import type { SlackCall } from './client'

/** How long it is waited for Slack to say how something is, ms: an event waits for two of them, and Slack for 3 s. */
const PATIENCE_MS = 1000

/** How long it is remembered, ms, and of how many. */
const TTL_MS = 10 * 60 * 1000
const MOST = 500

type Asked = 'users.info' | 'conversations.info'

/**
 * What Slack tells of the people and channels that several workspaces have in common (Slack Connect), where an event
 * does not: https://docs.slack.dev/apis/slack-connect
 */
export class SlackConnect {
  private readonly known = new Map<string, { teams: readonly string[], until: number }>()

  /**
   * @param call as the workspace whose bot is asked
   * @param scope tells that workspace from others
   */
  constructor(private readonly call: SlackCall, private readonly scope: () => string) {}

  /** The workspace of somebody in a channel of the bot; undefined while Slack does not say. */
  async teamOf(userId: string): Promise<string | undefined> {
    const [team] = await this.ask('users.info', { user: userId }, ({ user }) => [(user as Named | undefined)?.team_id])
    return team
  }

  /** Whether a channel that the bot sees is shared with that workspace; false while Slack does not say. */
  async isShared(channel: string, team: string): Promise<boolean> {
    const teams = await this.ask('conversations.info', { channel }, ({ channel: found }) => {
      const { is_ext_shared: isShared, shared_team_ids: some = [], connected_team_ids: others = [] }
        = (found ?? {}) as Shared
      return isShared === true ? [...some, ...others] : []
    })
    return teams.includes(team)
  }

  private async ask(
    method: Asked, query: Record<string, string>, teamsIn: (answer: Readonly<Record<string, unknown>>) => unknown[],
  ): Promise<readonly string[]> {
    const key = `${this.scope()}${JSON.stringify(query)}`
    const remembered = this.known.get(key)
    if (remembered && Date.now() < remembered.until) return remembered.teams
    const outcome = await withinOrNull(PATIENCE_MS, this.call(method, new URLSearchParams(query)))
    if (!outcome?.ok) return []
    const teams = teamsIn(outcome.value).filter(team => typeof team === 'string')
    if (this.known.size >= MOST) this.known.clear()
    this.known.set(key, { teams, until: Date.now() + TTL_MS })
    return teams
  }
}

interface Named { team_id?: unknown }

/** https://docs.slack.dev/reference/objects/conversation-object */
interface Shared {
  is_ext_shared?: unknown
  shared_team_ids?: unknown[]
  connected_team_ids?: unknown[]
}
