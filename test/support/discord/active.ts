import type { StateAdapter } from 'chat'
import { createHttpClient } from '../../../server/adapters/http/client'
import { ActiveListener } from '../../../server/platforms/discord/gateway/active-listener'
import type { Deliver, GatewayOptions } from '../../../server/platforms/discord/gateway/events'
import { Lease } from '../../../server/platforms/discord/gateway/lease'
import type { Checkpoint } from '../../../server/platforms/discord/gateway/progress'
import { GatewayStore } from '../../../server/platforms/discord/gateway/store'
import { createDiscordRest } from '../../../server/platforms/discord/rest'
import { silentLog } from '../../fakes/runtime'
import type { DiscordDouble } from './types'

interface Active {
  state: StateAdapter
  store?: GatewayStore
  leaseMs: number
  signal: AbortSignal
  deliver: Deliver
  known?: Checkpoint | null
  log?: GatewayOptions['log']
  onStatus?: GatewayOptions['onStatus']
}

/** A listener of this process that holds the lease; `run` begins it. */
export async function ownerOf(discord: DiscordDouble, { state, leaseMs, signal, known = null, ...more }: Active) {
  const { botToken, applicationId, restUrl: apiUrl } = discord
  const store = more.store ?? new GatewayStore(state, applicationId)
  const lease = new Lease(state, store.key, leaseMs)
  await lease.take('claim', signal)
  const listener = new ActiveListener({
    log: silentLog, ...more,
    state, botToken, applicationId, leaseMs, store, lease, signal, known, endsAt: null, owner: 'this one',
    rest: createDiscordRest({ botToken, apiUrl }, createHttpClient()),
  })
  return { lease, listener, store }
}
