import type { CardLine, Taken, Turn } from '../../ports/line'

interface Channel {
  /** Id → until when somebody has it, epoch ms; in order of arrival. */
  waiting: Map<string, number>
  /** Epoch ms from which the next may go. */
  opensAt: number
  announced: boolean
}

/** The line of cards in memory, for one process. After a restart the sweep puts everybody back in line. */
export class EmbeddedCardLine implements CardLine {
  private readonly channels = new Map<string, Channel>()

  async enter({ platform, now, intervalMs }: Turn, id: string, until: number): Promise<number> {
    const channel = this.channel(platform)
    if (!channel.waiting.has(id)) {
      const first = channel.waiting.size === 0 && channel.opensAt <= now
      channel.waiting.set(id, first ? until : 0)
      if (first) {
        channel.opensAt = now + intervalMs
        return 0
      }
    }
    return [...channel.waiting.keys()].indexOf(id) + 1
  }

  async take({ platform, now, intervalMs }: Turn, until: number): Promise<Taken> {
    const channel = this.channel(platform)
    if (channel.waiting.size === 0) return { id: null, waitMs: null }
    if (channel.opensAt > now) return { id: null, waitMs: channel.opensAt - now }
    for (const [id, takenUntil] of channel.waiting) {
      if (takenUntil > now) continue
      channel.waiting.set(id, until)
      channel.opensAt = now + intervalMs
      return { id }
    }
    return { id: null, waitMs: Math.min(...channel.waiting.values()) - now }
  }

  async leave(platform: string, id: string): Promise<void> {
    this.channel(platform).waiting.delete(id)
  }

  async putOff(platform: string, id: string, until: number): Promise<void> {
    const { waiting } = this.channel(platform)
    if (waiting.has(id)) waiting.set(id, until)
  }

  async close(platform: string, ms: number): Promise<void> {
    this.channel(platform).opensAt = Date.now() + ms
  }

  async length(platform: string): Promise<number> {
    return this.channel(platform).waiting.size
  }

  async takeNotice(platform: string): Promise<boolean> {
    const channel = this.channel(platform)
    const first = !channel.announced
    channel.announced = true
    return first
  }

  async forgetNotice(platform: string): Promise<void> {
    this.channel(platform).announced = false
  }

  private channel(platform: string): Channel {
    const known = this.channels.get(platform)
    if (known) return known
    const channel: Channel = { waiting: new Map(), opensAt: 0, announced: false }
    this.channels.set(platform, channel)
    return channel
  }
}
