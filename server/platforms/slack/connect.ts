import { withinOrNull } from '../../../shared/utils/time'
import type { SlackCall } from './client'

/** Maximum wait for an answer of Slack, ms: an event waits for two answers, and Slack waits 3 s for the event. */
const PATIENCE_MS = 1000

/** How long an answer is cached, ms, and the maximum number of cached answers. */
const TTL_MS = 10 * 60 * 1000
const MOST = 500

type Asked = 'users.info' | 'conversations.info'

/**
 * Looks up the workspaces of people and channels in Slack Connect, which several workspaces share, if an event does not
 * name them: https://docs.slack.dev/apis/slack-connect
 */
export class SlackConnect {
  private readonly known = new Map<string, { teams: readonly string[], until: number }>()

  /**
   * @param call asks as the bot of the current workspace
   * @param scope tells that workspace from others, for the cache
   */
  constructor(private readonly call: SlackCall, private readonly scope: () => string) {}

  /** Workspace of a user in a channel of the bot; undefined if Slack does not answer. */
  async teamOf(userId: string): Promise<string | undefined> {
    const [team] = await this.ask('users.info', { user: userId }, ({ user }) => [(user as Named | undefined)?.team_id])
    return team
  }

  /** True if a channel that the bot sees is shared with that workspace; false if Slack does not answer. */
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
