/**
 * Error codes with which Redis refuses a command, and what to change
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors).
 */
const ADVICE: Readonly<Record<string, string>> = {
  READONLY: 'It is a replica: STORE_URL must point to the primary.',
  LOADING: 'It is still loading its data.',
  MASTERDOWN: 'It is a replica that lost its primary: STORE_URL must point to the primary.',
  CLUSTERDOWN: 'Its cluster is down.',
  MOVED: 'It is one node of a cluster that spreads its keys. STORE_URL must point to a Redis that has all keys on one node.',
  NOREPLICAS: 'Too few replicas follow it (min-replicas-to-write).',
  MISCONF: 'It cannot save its data; its own log says why.',
  OOM: 'Its memory is full: raise maxmemory, and leave maxmemory-policy at noeviction.',
  NOAUTH: 'Put its password into STORE_URL.',
  WRONGPASS: 'Check user and password in STORE_URL.',
  NOPERM: 'Its user lacks permissions: allow all commands, on keys {triage}:* and chat-sdk:* and channels {triage}:changes* (ACL SETUSER <user> +@all ~{triage}:* ~chat-sdk:* &{triage}:changes*).',
}

/**
 * Certificate errors by their OpenSSL names (https://nodejs.org/api/tls.html#x509-certificate-error-codes), and what to
 * change.
 */
const CERTIFICATES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([
    'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ].map(code => [code, 'Its certificate is self-signed, or of a CA that Node does not know: set NODE_EXTRA_CA_CERTS to the file of that CA (docs/deploy.md).'])),
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host than the one in STORE_URL.',
}

/** Errors if the other end does not speak our protocol: codes of Node, messages of node-redis. */
const SILENT = /^(?:ECONNRESET|EPROTO|ERR_SSL_\w+|Connection timeout|Socket closed unexpectedly)$/

/** Codes for which another node behind the same address may accept the command, for example after a failover. */
const OTHER_NODE_CODES: readonly (string | undefined)[] = [
  'READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'NOREPLICAS', 'MISCONF',
]

/** Returns one line for people; null if the error is no refusal of Redis, for example if there was no answer. */
export function refusalLine(error: unknown): string | null {
  const code = codeOf(error)
  return code && ADVICE[code] ? `Redis answers ${code}. ${ADVICE[code]}` : null
}

/**
 * Returns the reason, for people, why there is no connection; null if the error itself says it.
 *
 * @param isTls true if the URL begins with rediss://
 * @param isOpen true if the connection was open and nothing was answered over it yet
 */
export function connectionLine(
  { code = '', message }: Error & { code?: string }, isTls: boolean, isOpen: boolean,
): string | null {
  if (message.startsWith('ERR DB index is out of range')) {
    return 'Redis has no database with the number at the end of STORE_URL: take a lower one, or none.'
  }
  if (CERTIFICATES[code]) return `Redis was not trusted (${code}). ${CERTIFICATES[code]}`
  const isSilent = SILENT.test(code || message)
  if (isTls && isSilent) {
    return 'Redis does not answer by TLS. If it expects no TLS, STORE_URL must begin with redis://.'
  }
  return !isTls && isOpen && isSilent
    ? 'Redis closes the connection without an answer. If it expects TLS, STORE_URL must begin with rediss://.'
    : null
}

/** True if a new connection may lead to a node that accepts the command. */
export function isOfThisNode(error: unknown): boolean {
  return OTHER_NODE_CODES.includes(codeOf(error))
}

/** Matches NOPERM of a command in a script, as Redis 7.0 and later versions report it. */
const IN_SCRIPT = /^ERR (?:The user executing the script can't|ACL failure in script)/

export function isFull(error: unknown): error is Error {
  return codeOf(error) === 'OOM'
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Error && IN_SCRIPT.test(error.message)) return 'NOPERM'
  return error instanceof Error ? /^[A-Z]{3,}\b/.exec(error.message)?.[0] : undefined
}
