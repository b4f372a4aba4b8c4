import type { Setup } from '../../shared/types/setup'
import { checkConfig, type Config } from '../config'
import type { Credentials } from '../domain/operations/credentials'
import { problemsOf, readParts, type PartsPorts } from '../domain/operations/parts'
import type { Storage } from '../domain/operations/readiness'
import type { Runtime } from '../ports/runtime'
import { outside } from '../platforms/registry'

export interface SetupPorts extends PartsPorts {
  /** About values of variables; one line each. */
  warnings: readonly string[]
  storage: Pick<Storage, 'check'>
  credentials: Pick<Credentials, 'check'>
  runtime: Pick<Runtime, 'now'>
}

/** What is configured, and how the rest is. */
export async function readSetup({ siteUrl, platforms: settings }: Config, ports: SetupPorts): Promise<Setup> {
  const { board, storage, credentials, runtime, rooms, warnings } = ports
  const [refusal] = await Promise.all([storage.check(), credentials.check()])
  const parts = Object.groupBy(await readParts(ports, runtime.now()), ({ key }) => key.split('/')[0]!)
  const problems = Object.entries(parts).map(([key, all = []]) => [key, problemsOf(all)] as const)
  return {
    siteUrl, config: checkConfig(), warnings,
    problems: Object.fromEntries([...problems, ['store', refusal ? [refusal.reason] : []]]),
    platforms: await Promise.all(outside.map(async ({ key, label, icon, about, needs, channel, setup }) => {
      const isWithoutCards = key in settings && !rooms.some(room => room.split('/')[0] === key)
      return {
        key, label, icon, about, waits: await board.awaits(key) ?? undefined,
        required: channel.instead || isWithoutCards ? needs : [...needs, channel.variable!],
        noCards: isWithoutCards
          ? `People talk with the bot on ${label}, and no cards go there: set ${channel.variable} to have them.`
          : undefined,
        steps: setup(siteUrl, settings[key]),
      }
    })),
  }
}
