import { withinOrNull } from '../../../shared/utils/time'
import type { SlackCall } from './client'

/** Maximum wait for an answer from Slack, ms: an event needs two answers, and must itself be answered within 3 s. */
const ANSWER_TIMEOUT_MS = 1000

/** Time for which an answer is cached, ms, and the maximum number of cached answers. */
const TTL_MS = 10 * 60 * 1000
const MAX_ANSWERS = 500

type LookUpMethod = 'users.info' | 'conversations.info'

/**
 * Looks up the workspaces of people and channels that an event does not name. In Slack Connect, several workspaces
 * share a channel: https://docs.slack.dev/apis/slack-connect
 */
export class SlackConnect {
  private readonly cache = new Map<string, { teams: readonly string[], until: number }>()

  /**
   * @param call asks as the bot of the current workspace
   * @param scope returns the name of that workspace in the cache
   */
  constructor(private readonly call: SlackCall, private readonly scope: () => string) {}

  /** Workspace of a user in a channel of the bot; undefined if Slack does not answer. */
  async teamOf(userId: string): Promise<string | undefined> {
    const [team] = await this.lookUpTeams(
      'users.info', { user: userId }, ({ user }) => [(user as UserDetails | undefined)?.team_id],
    )
    return team
  }

  /** True if a channel that the bot sees is shared with that workspace; false if Slack does not answer. */
  async isShared(channel: string, team: string): Promise<boolean> {
    const teams = await this.lookUpTeams('conversations.info', { channel }, ({ channel: details }) => {
      const { is_ext_shared: isShared, shared_team_ids: sharedIds = [], connected_team_ids: connectedIds = [] }
        = (details ?? {}) as ChannelDetails
      return isShared === true ? [...sharedIds, ...connectedIds] : []
    })
    return teams.includes(team)
  }

  private async lookUpTeams(
    method: LookUpMethod, query: Record<string, string>,
    teamsIn: (answer: Readonly<Record<string, unknown>>) => unknown[],
  ): Promise<readonly string[]> {
    const key = `${this.scope()}${JSON.stringify(query)}`
    const entry = this.cache.get(key)
    if (entry && Date.now() < entry.until) return entry.teams
    const outcome = await withinOrNull(ANSWER_TIMEOUT_MS, this.call(method, new URLSearchParams(query)))
    if (!outcome?.ok) return []
    const teams = teamsIn(outcome.value).filter(team => typeof team === 'string')
    if (this.cache.size >= MAX_ANSWERS) this.cache.clear()
    this.cache.set(key, { teams, until: Date.now() + TTL_MS })
    return teams
  }
}

interface UserDetails { team_id?: unknown }

/** https://docs.slack.dev/reference/objects/conversation-object */
interface ChannelDetails {
  is_ext_shared?: unknown
  shared_team_ids?: unknown[]
  connected_team_ids?: unknown[]
}
