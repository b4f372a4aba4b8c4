/**
 * What Redis says instead of doing what it is asked, and what to change
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors).
 */
const ADVICE: Readonly<Record<string, string>> = {
  READONLY: 'It is a replica: STORE_URL has to lead to the primary.',
  LOADING: 'It is still loading its data.',
  MASTERDOWN: 'It is a replica that lost its primary: STORE_URL has to lead to the primary.',
  CLUSTERDOWN: 'Its cluster is down.',
  MOVED: 'It is one node of a cluster: STORE_URL has to lead to the one that holds the slot of {triage}.',
  NOREPLICAS: 'Too few replicas follow it (min-replicas-to-write).',
  MISCONF: 'It cannot save its data; its own log says why.',
  OOM: 'Its memory is full: raise maxmemory, and leave maxmemory-policy at noeviction.',
  NOAUTH: 'Put its password into STORE_URL.',
  WRONGPASS: 'Check user and password in STORE_URL.',
  NOPERM: 'Its user may not do what the service has to: allow all commands, on keys {triage}:* and chat-sdk:* and channels {triage}:changes* (ACL SETUSER <user> +@all ~{triage}:* ~chat-sdk:* &{triage}:changes*).',
}

/** What another node behind the same address may do better, after a failover for instance. */
const ELSEWHERE: readonly (string | undefined)[] = [
  'READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'NOREPLICAS', 'MISCONF',
]

/** One line for people; null when it is not a refusal of Redis, e.g. no answer. */
export function refusalLine(error: unknown): string | null {
  const code = codeOf(error)
  return code && ADVICE[code] ? `Redis answers ${code}. ${ADVICE[code]}` : null
}

/** Whether a new connection may lead to a node that does it. */
export function isOfThisNode(error: unknown): boolean {
  return ELSEWHERE.includes(codeOf(error))
}

/** How Redis 7.0, and later ones, tell NOPERM of what a script does. */
const IN_SCRIPT = /^ERR (?:The user executing the script can't|ACL failure in script)/

export function isFull(error: unknown): error is Error {
  return codeOf(error) === 'OOM'
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Error && IN_SCRIPT.test(error.message)) return 'NOPERM'
  return error instanceof Error ? /^[A-Z]{3,}\b/.exec(error.message)?.[0] : undefined
}
