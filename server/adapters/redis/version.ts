import type { RedisClient } from './client'

/** The oldest Redis that the tests ran on; `PEXPIRE … NX` came with it. Valkey tells the Redis that it is compatible with. */
export const OLDEST_REDIS = '7.0'

const versions = new WeakMap<RedisClient, string>()

/** What the server says it is, e.g. `7.0.15`; null when it does not tell. */
export async function serverVersion(client: RedisClient): Promise<string | null> {
  const info = await client.info('server').catch(() => '')
  const version = /^redis_version:(\d+\.\d+[\w.]*)/m.exec(info)?.[1] ?? null
  if (version !== null) versions.set(client, version)
  return version
}

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_REDIS.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** What to change when the server of the present connection is too old; null when it is not, or not known. */
export function versionProblem(client: RedisClient): string[] | null {
  const version = versions.get(client)
  return version !== undefined && isTooOld(version) ? [`Redis ${version} is too old: the service needs ${OLDEST_REDIS} or newer (STORE_URL).`] : null
}
