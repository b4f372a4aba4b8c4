import { backfillGuild, channelsOf, newestMessage, type Guild } from './backfill'
import type { Dispatch } from './connection'
import type { DeadLetter, Delivery, Persist } from './delivery'
import { Directory, type Channel, type Reader } from './directory'
import { DELIVERED, type Deliver, type EventData } from './events'
import type { Progress } from './progress'

/** Later Discord takes no first answer, and who clicked was told that it failed (https://discord.com/developers/docs/interactions/receiving-and-responding). */
const INTERACTION_MAX_AGE_MS = 3000

export interface IntakeOptions {
  /** The bot's own messages and reactions are not delivered. */
  applicationId: string
  delivery: Delivery
  reader: Reader
  deliver: Deliver
  report: (what: string, facts: Record<string, unknown>) => void
}

/** Takes what Discord sends, delivers what the bot uses, and keeps account of it. */
export class Intake {
  lastEventAt: number | null = null
  private readonly directory: Directory

  constructor(private readonly options: IntakeOptions, private readonly progress: Progress) {
    this.directory = new Directory(options.reader)
  }

  take({ t: type, s: sequence, d }: Dispatch): void {
    if (type === 'READY') return
    if (type === 'GUILD_CREATE') for (const channel of channelsOf(d as Guild)) this.directory.learn(channel)
    else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) this.directory.learn(d as Channel)
    if (!this.progress.take(sequence)) return
    if (type === 'GUILD_CREATE') this.takeGuild(sequence, d as Guild)
    else if (DELIVERED.has(type)) this.takeEvent(type, sequence, d as EventData)
  }

  private takeEvent(type: string, sequence: number, data: EventData): void {
    const { progress } = this
    this.lastEventAt = Date.now()
    const message = type === 'MESSAGE_CREATE' ? data.id : undefined
    if (this.isOwn(data)) {
      if (message) progress.noteMessage(message)
      return
    }
    const id = `${progress.session?.sessionId}:${sequence}`
    const delivered = [progress.hold(sequence), ...message ? [progress.holdMessage(message)] : []]
    // An answer to a click is due in 3 s: it waits for nothing else of its channel.
    const line = type === 'INTERACTION_CREATE' ? undefined : data.channel_id
    void this.options.delivery.enqueue(line, persist => this.deliver(persist, type, data, id)).then((done) => {
      if (done) for (const settle of delivered) settle()
    })
  }

  /** Its acknowledgement waits until what was missed has been read: a successor would see it again and start over. */
  private takeGuild(sequence: number, guild: Guild): void {
    const { progress, options: { delivery, reader, report } } = this
    const after = progress.missingSince(guild.id)
    if (after === null) {
      const newest = newestMessage(guild)
      if (newest !== null) progress.noteMessage(newest)
      return
    }
    const settle = progress.hold(sequence)
    void backfillGuild(guild, after, {
      delivery, reader, report,
      deliver: async (persist, message) => {
        if (!this.isOwn(message)) await this.deliver(persist, 'MESSAGE_CREATE', message, `message:${message.id}`)
        progress.noteMessage(message.id)
      },
    }).then((done) => {
      if (!done) return
      progress.backfilled(guild.id)
      settle()
    })
  }

  private isOwn({ author, user_id: user }: EventData): boolean {
    return (author?.id ?? user) === this.options.applicationId
  }

  private deliver(persist: Persist, type: string, data: EventData, id: string): Promise<void> {
    const letter: DeadLetter = { id, type, channelId: data.channel_id, messageId: data.message_id ?? data.id, userId: data.user_id ?? data.author?.id }
    return persist(async (signal) => {
      const enriched = await this.directory.enrich(type, data)
      await this.options.deliver({ id, type: `GATEWAY_${type}`, timestamp: Date.now(), data: enriched }, signal)
    }, letter, type === 'INTERACTION_CREATE' ? INTERACTION_MAX_AGE_MS : undefined)
  }
}
