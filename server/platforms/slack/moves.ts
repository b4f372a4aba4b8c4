import type { StateAdapter } from 'chat'
import type { SlackSettings } from './client'

/** https://docs.slack.dev/reference/events/channel_id_changed */
interface ChannelIdChanged { type?: string, old_channel_id?: unknown, new_channel_id?: unknown }

/**
 * Channels whose id Slack changed, as it does when a private one is shared with another workspace: their old ids are
 * worth nothing to Slack. The configuration has the old ones until people change it. What one replica hears, all know.
 */
export class MovedChannels {
  /** The ids of now, by those of the configuration. */
  private readonly moved = new Map<string, string>()
  private readonly own: readonly string[]

  constructor({ channelId, channels = [] }: Pick<SlackSettings, 'channelId' | 'channels'>) {
    this.own = [channelId ?? [], channels].flat().map(name => placeOf(name).channel)
  }

  /** The id that Slack has for a channel by now, as far as this process knows. */
  current(channel: string): string {
    return this.moved.get(this.configured(channel)) ?? channel
  }

  /** The id that the configuration has for a channel, as far as this process knows. */
  configured(channel: string): string {
    return [...this.moved].find(([, to]) => to === channel)?.[0] ?? channel
  }

  /** Takes in that a channel of ours has another id; resolves with it and the one of the configuration, or null. */
  async follow(event: ChannelIdChanged, state: StateAdapter): Promise<{ from: string, to: string } | null> {
    const { old_channel_id: old, new_channel_id: to } = event
    if (event.type !== 'channel_id_changed' || typeof old !== 'string' || typeof to !== 'string') return null
    const from = await this.findConfigured(old, state)
    if (!this.own.includes(from)) return null
    await Promise.all([state.set(toKey(from), to), state.set(fromKey(to), from)])
    this.moved.set(from, to)
    return { from, to }
  }

  /** Current id of a channel, by the state that all replicas share. */
  async find(channel: string, state: StateAdapter): Promise<string> {
    const from = await this.findConfigured(channel, state)
    const to = await state.get<string>(toKey(from))
    if (to) this.moved.set(from, to)
    return to ?? channel
  }

  /** Configured id of a channel, by the state that all replicas share. */
  async findConfigured(channel: string, state: StateAdapter): Promise<string> {
    if (this.own.includes(channel)) return channel
    const from = await state.get<string>(fromKey(channel))
    if (from) this.moved.set(from, channel)
    return from ?? channel
  }
}

const toKey = (from: string) => `slack:channel-to:${from}`
const fromKey = (to: string) => `slack:channel-from:${to}`

/** A channel as the configuration names it: its id, for one of another workspace after the workspace's. */
export function placeOf(name: string): { channel: string, team?: string } {
  const [channel = '', team] = name.split(':').reverse()
  return { channel, team }
}

/** How the configuration names a channel: with its workspace when a form says so. */
export function configuredChannel(channel: string, names: readonly string[] = []): string {
  return names.find(name => placeOf(name).channel === channel) ?? channel
}
