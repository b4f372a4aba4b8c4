import type { RedisClientType as RedisClient } from 'redis'

/** The oldest Redis that the tests ran on; it brought `PEXPIRE … NX`. Valkey tells the Redis that it equals. */
export const OLDEST_REDIS = '7.0'

/** What a server says of itself (https://redis.io/docs/latest/commands/info/); what it does not tell is absent. */
export interface ServerInfo {
  /** E.g. `7.0.15`. */
  version?: string
  /** What becomes of keys when memory is full: `noeviction`, or which of them go. */
  eviction?: string
}

/** @throws what a command throws */
export async function serverInfo(client: RedisClient): Promise<ServerInfo> {
  const info = (await Promise.all([client.info('server'), client.info('memory')])).join('\n')
  return {
    version: /^redis_version:(\d+\.\d+[\w.]*)/m.exec(info)?.[1],
    eviction: /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1],
  }
}

export function isTooOld({ version }: ServerInfo): boolean {
  if (version === undefined) return false
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_REDIS.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** Whether it throws keys away that nobody deleted. All of ours have an end, so `volatile-…` means them, too. */
export function evicts({ eviction = 'noeviction' }: ServerInfo): boolean {
  return eviction !== 'noeviction'
}

/** What to change about the server, for people; one line each. @throws what a command throws */
export async function adviceOf(client: RedisClient): Promise<string[]> {
  const info = await serverInfo(client)
  return [
    ...isTooOld(info)
      ? [`Redis ${info.version} is too old: the service needs ${OLDEST_REDIS} or newer (STORE_URL).`]
      : [],
    ...evicts(info)
      ? [`Redis throws submissions away when its memory is full: its maxmemory-policy is ${info.eviction}. Set it to noeviction, and it refuses forms instead.`]
      : [],
  ]
}
