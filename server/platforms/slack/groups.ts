import type { Outcome } from '../../ports/delivery'
import type { HttpClient } from '../../ports/http'
import { createSlackCall, type SlackSettings } from './client'

/** Somebody who clicked waits for it, and Slack waits 3 s for the form that it may open, ms. */
const TIMEOUT_MS = 1500

/** Who is in a user group of our own workspace: https://docs.slack.dev/reference/methods/usergroups.users.list */
export async function membersOf(
  group: string, settings: SlackSettings, http: HttpClient,
): Promise<Outcome<readonly string[]>> {
  const call = createSlackCall(settings, () => settings.botToken, TIMEOUT_MS, http)
  const outcome = await call('usergroups.users.list', new URLSearchParams({ usergroup: group }))
  if (!outcome.ok) return outcome
  const { users } = outcome.value
  return { ok: true, value: Array.isArray(users) ? users.map(String) : [] }
}
