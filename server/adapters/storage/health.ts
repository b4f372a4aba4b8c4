import { INCIDENT_TTL_MS } from '../../../shared/lifetimes'
import { withinOrNull } from '../../../shared/utils/time'
import { KeyedMutex } from '../../../shared/utils/turns'
import type { HealthBook, Incident, PartHealth } from '../../ports/monitor'
import { change, keyPart, type SmallStorage } from './small-storage'

/** Min time between two successes that are written, ms. */
const QUIET_MS = 10_000

/** Max wait of readers for the notes of this process, ms. With a call of Redis it is less than the promised 2 s. */
const OWN_NOTES_MS = 400

/** Facts, and their member of `PartHealth` */
const MEMBERS = {
  success: 'lastSuccessAt', error: 'lastError', limit: 'limitedUntil', since: 'failingSince',
} as const

const keyOf = (part: string, fact: keyof typeof MEMBERS) => `health:${keyPart(part)}:${fact}`

const isOver = ({ lastAt }: Incident, now: number) => lastAt <= now - INCIDENT_TTL_MS

/** Keeps each fact under a key of its own: replicas do not overwrite each other's facts. */
export function createHealthBook(storage: SmallStorage): HealthBook {
  const mutex = new KeyedMutex()
  const writtenAt = new Map<string, number>()
  const inBackground = (key: string, task: () => Promise<unknown>) => {
    mutex.run(key, task).catch(() => { /* Ignored, like failed notes. */ })
  }

  async function succeed(part: string, at: number): Promise<number | null> {
    // Only one replica removes the start, so only one reports the end.
    const [since] = await Promise.all([
      change(storage, keyOf(part, 'since'), () => null), storage.setItem(keyOf(part, 'success'), at),
    ])
    return since === null ? null : Number(since)
  }

  async function fail(part: string, at: number, reason: string): Promise<null> {
    await Promise.all([
      change(storage, keyOf(part, 'since'), since => since ?? String(at)),
      storage.setItem(keyOf(part, 'error'), { at, reason }),
    ])
    return null
  }

  async function entriesOf(group: string): Promise<[key: string, value: unknown][]> {
    await withinOrNull(OWN_NOTES_MS, mutex.settled())
    const keys = await storage.getKeys(group)
    const entries = keys.map(async (key): Promise<[string, unknown]> => [key, await storage.getItem(key)])
    return (await Promise.all(entries)).filter(([, value]) => value !== null)
  }

  return {
    async note(part, at, error) {
      if (error === undefined && at - (writtenAt.get(part) ?? -Infinity) < QUIET_MS) return null
      if (error === undefined) writtenAt.set(part, at)
      else writtenAt.delete(part)
      return mutex.run(part, () => error === undefined ? succeed(part, at) : fail(part, at, error)).catch(() => {
        writtenAt.delete(part)
        return null
      })
    },
    limit(part, until) {
      inBackground(part, () => storage.setItem(keyOf(part, 'limit'), until))
    },
    async read() {
      const parts: Record<string, PartHealth> = {}
      for (const [key, value] of await entriesOf('health')) {
        // Earlier versions wrote rooms otherwise: these facts are left out.
        const [, name, fact] = /^health:([^:]+):(success|error|limit|since)$/.exec(key) ?? []
        if (name === undefined) continue
        const part = parts[decodeURIComponent(name)] ??= { lastSuccessAt: null, lastError: null, limitedUntil: null }
        Object.assign(part, { [MEMBERS[fact as keyof typeof MEMBERS]]: fact === 'since' ? Number(value) : value })
      }
      return parts
    },
    count(kind, detail, at) {
      const key = `incident:${keyPart(`${kind}:${detail}`)}`
      inBackground(key, () => change(storage, key, (text) => {
        const earlier = text === null ? null : JSON.parse(text) as Incident
        const { count, since, lastAt } = earlier && !isOver(earlier, at) ? earlier : { count: 0, since: at, lastAt: at }
        return JSON.stringify({
          kind, detail, count: count + 1, since: Math.min(since, at), lastAt: Math.max(lastAt, at),
        } satisfies Incident)
      }))
    },
    async incidents(now) {
      const entries = await entriesOf('incident') as [string, Incident][]
      await Promise.all(entries.map(([key, incident]) => isOver(incident, now) && change(storage, key, text => (
        text !== null && isOver(JSON.parse(text) as Incident, now) ? null : text
      ))))
      return entries.map(([, incident]) => incident).filter(incident => !isOver(incident, now))
        .sort((a, b) => b.lastAt - a.lastAt)
    },
  }
}
