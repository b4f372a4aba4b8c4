import type { RespondArguments, types, ViewResponseAction, webApi } from '@slack/bolt'

type Arguments<Path extends string, At = webApi.WebClient> = Path extends `${infer Head}.${infer Rest}`
  ? Arguments<Rest, At[Head & keyof At]>
  : Parameters<Extract<At[Path & keyof At], (...args: never[]) => unknown>>[0]

type Method
  = | 'apps.connections.open' | 'auth.test' | 'chat.appendStream' | 'chat.delete' | 'chat.postEphemeral'
    | 'chat.postMessage' | 'chat.startStream' | 'chat.stopStream' | 'chat.update' | 'conversations.history'
    | 'conversations.info' | 'conversations.members' | 'conversations.open' | 'conversations.replies'
    | 'oauth.v2.access' | 'reactions.add' | 'reactions.remove' | 'usergroups.users.list' | 'users.info' | 'views.open'
    | 'views.publish' | 'views.update'

/** Not in the package yet: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
interface SessionStatus {
  token?: string
  channel_id: string
  thread_ts: string
  status: 'active' | 'closed' | 'processing' | 'suspended'
}

/** Types from Slack's own packages for the calls and answers of the service */
export type Bodies = { [Name in Method]: Arguments<Name> } & Record<'agents.sessions.setStatus', SessionStatus> & {
  blocks: types.KnownBlock[]
  command: RespondArguments
  view: ViewResponseAction
}
