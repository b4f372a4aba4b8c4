import type { RedisClientType as RedisClient } from 'redis'

/** Oldest Redis tested; it introduced `PEXPIRE … NX`. Valkey reports the Redis version it is compatible with. */
export const OLDEST_REDIS = '7.0'

/** Share of the memory from which people are warned. */
const NEARLY_FULL = 0.8

/** Facts that a server reports about itself (https://redis.io/docs/latest/commands/info/). Missing ones are absent. */
export interface ServerInfo {
  /** For example `7.0.15`. */
  version?: string
  /** Policy for keys when memory is full: `noeviction`, or the keys that are removed. */
  eviction?: string
  /** Share of maxmemory that is in use; absent if there is no limit. */
  fullness?: number
}

/** @throws the errors of commands */
export async function serverInfo(client: RedisClient): Promise<ServerInfo> {
  const info = (await Promise.all([client.info('server'), client.info('memory')])).join('\n')
  return {
    version: /^redis_version:(\d+\.\d+[\w.]*)/m.exec(info)?.[1],
    eviction: /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1],
    fullness: fullnessIn(info),
  }
}

function fullnessIn(info: string): number | undefined {
  const [usedBytes, maxBytes] = [/^used_memory:(\d+)/m, /^maxmemory:(\d+)/m].map(
    pattern => Number(pattern.exec(info)?.[1] ?? 0),
  )
  return maxBytes! > 0 ? usedBytes! / maxBytes! : undefined
}

export function isTooOld({ version }: ServerInfo): boolean {
  if (version === undefined) return false
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_REDIS.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** True if the server deletes keys to free memory. All our keys expire, so `volatile-…` policies affect them too. */
export function evicts({ eviction = 'noeviction' }: ServerInfo): boolean {
  return eviction !== 'noeviction'
}

/** Returns advice for people about the server, one line each. @throws the errors of commands */
export async function adviceOf(client: RedisClient): Promise<string[]> {
  const info = await serverInfo(client)
  return [
    ...isTooOld(info)
      ? [`Redis ${info.version} is too old: the service needs ${OLDEST_REDIS} or newer (STORE_URL).`]
      : [],
    ...evicts(info)
      ? [`Redis deletes submissions when its memory is full: its maxmemory-policy is ${info.eviction}. Set it to noeviction; forms are then refused instead.`]
      : [],
    ...(info.fullness ?? 0) >= NEARLY_FULL
      ? [`Redis has used ${Math.floor(info.fullness! * 100)} % of its memory; when it is full, forms are refused. Raise maxmemory, or erase submissions that nobody needs.`]
      : [],
  ]
}
