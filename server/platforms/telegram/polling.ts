import type { TelegramUpdate } from '@chat-adapter/telegram'
import type { StateAdapter } from 'chat'
import type { Listener, ListenerOptions } from '../connection'
import type { FailedOutcome } from '../shared/answers'
import { listenAsOwner } from '../shared/listener/listen'
import { LeaseOwner, type OwnerOptions } from '../shared/listener/owner'
import { OwnerStore } from '../shared/listener/owner-store'
import { answeredWithin, pause } from '../shared/patience'
import type { FormTelegramAdapter, TelegramSettings } from './adapter'

/** Time for which Telegram holds a request while there is nothing new, s */
const LONG_POLL_S = 50

/** Updates that the bot uses; setWebhook of the set-up asks for the same */
const ALLOWED_UPDATES: readonly string[] = ['message', 'callback_query']

/** Time for an answer beyond the time for which Telegram holds the request, ms */
const ANSWER_TIMEOUT_MS = 10_000

/** First and longest pause after a request that failed, ms */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 30_000]

/** Attempts to handle an update while the store works: 4 s with their pauses */
const MAX_ATTEMPTS = 5
const RETRY_MS = 250

/** Time for which Telegram keeps updates, ms (https://core.telegram.org/bots/api#getting-updates) */
const KEPT_MS = 24 * 3_600_000

/** Listener that fetches updates in place of webhooks; its data is in the Chat SDK's state, which replicas share */
export async function createListener(
  { botToken }: TelegramSettings, { bot, background, leaseMs, log }: ListenerOptions,
): Promise<Listener> {
  const chat = await bot()
  await chat.initialize()
  const state = chat.getState()
  const adapter = chat.getAdapter('telegram') as FormTelegramAdapter
  const store = new OwnerStore(state, `telegram-polling:${botToken.split(':')[0]}`)
  return {
    listen: run => listenAsOwner(run, { state, store, leaseMs }, owned => new PollingOwner({
      ...owned, name: 'telegram.polling', store, state, log, adapter,
      receive: update => adapter.receive(update, background),
    })),
    status: () => store.status(),
  }
}

interface PollingOptions extends OwnerOptions {
  state: StateAdapter
  adapter: Pick<FormTelegramAdapter, 'telegramFetch' | 'ensureBotIdentity'>
  receive: (update: TelegramUpdate) => Promise<void>
}

/**
 * Listener that holds the lease. Telegram sends updates again until a request names a higher `offset`, so that is
 * stored once all updates of an answer survive a crash.
 */
class PollingOwner extends LeaseOwner<PollingOptions> {
  private readonly stopController = new AbortController()
  private polling?: Promise<void>
  /** Undefined once Telegram knows it: after a quiet week, ids may start anywhere */
  private offset?: number
  private mayHaveWebhook = true
  private connectCount = 0
  private failureCount = 0

  protected open(): void {
    this.polling = this.poll()
  }

  protected async close(): Promise<void> {
    this.stopController.abort()
    await this.polling
  }

  protected override async restore(): Promise<Record<string, unknown>> {
    this.offset = await this.options.state.get<number>(this.offsetKey) ?? undefined
    return { offset: this.offset }
  }

  private get offsetKey(): string {
    return `${this.options.store.key}:offset`
  }

  private async poll(): Promise<void> {
    while (this.mayAct()) await this.fetch().catch(error => this.fail(error as Error))
  }

  private async fetch(): Promise<void> {
    await answeredWithin(ANSWER_TIMEOUT_MS, this.options.adapter.ensureBotIdentity())
    // Telegram refuses to answer while a webhook is set.
    if (this.mayHaveWebhook) await this.call('deleteWebhook', { drop_pending_updates: false })
    this.mayHaveWebhook = false
    const isConnected = this.record.connectedSince !== null
    // https://core.telegram.org/bots/api#getupdates
    const updates = await this.call<TelegramUpdate[]>('getUpdates', {
      offset: this.offset, limit: 100, timeout: isConnected ? LONG_POLL_S : 0, allowed_updates: ALLOWED_UPDATES,
    })
    this.failureCount = 0
    if (!isConnected) {
      this.connected('connected', { resumes: this.connectCount++ })
      this.nudge()
    }
    if (updates.length > 0) this.noteEvent()
    if (!await this.handle(updates) || !this.mayAct()) return
    const last = updates.at(-1)
    if (last) await this.options.state.set(this.offsetKey, last.update_id + 1, KEPT_MS)
    this.offset = last && last.update_id + 1
  }

  private call<T>(method: string, payload: Record<string, unknown>): Promise<T> {
    const deadline = AbortSignal.timeout(LONG_POLL_S * 1000 + ANSWER_TIMEOUT_MS)
    const signal = AbortSignal.any([this.stopController.signal, deadline])
    return this.options.adapter.telegramFetch<T>(method, payload, { signal })
  }

  private async fail({ message, refusal }: Error & { refusal?: FailedOutcome }): Promise<void> {
    if (this.reason) return
    if (refusal?.permanent) return this.refuse(refusal.reason)
    const why = refusal?.reason ?? message
    if (refusal) this.noteFailure(why)
    if (this.record.connectedSince !== null) this.detached(why)
    this.nudge()
    this.mayHaveWebhook = refusal !== undefined
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** this.failureCount++, LONGEST_PAUSE_MS)
    await pause(Math.max(pauseMs, refusal?.retryAfterMs ?? 0), this.stopController.signal)
  }

  /** Handles chats in parallel, and the updates of each in order. Returns false if some are left to a successor. */
  private async handle(updates: readonly TelegramUpdate[]): Promise<boolean> {
    const turns = new Map<string, Promise<boolean>>()
    for (const update of updates) {
      const previous = turns.get(turnOf(update)) ?? Promise.resolve(true)
      turns.set(turnOf(update), previous.then(isHandled => isHandled && this.deliver(update)))
    }
    return (await Promise.all(turns.values())).every(Boolean)
  }

  private async deliver(update: TelegramUpdate): Promise<boolean> {
    for (let attempt = 1; this.mayAct(); attempt++) {
      try {
        await this.options.receive(update)
        return true
      }
      catch (error) {
        const reason = `${(error as Error).name} while update ${update.update_id} was handled`
        this.noteFailure(reason)
        // While the store is unavailable, nothing can be buried either: the update is tried again.
        const isOver = attempt >= MAX_ATTEMPTS
        if (isOver && await this.bury({ update: update.update_id }, reason).then(() => true, () => false)) return true
      }
      await pause(RETRY_MS * 2 ** Math.min(attempt - 1, MAX_ATTEMPTS), this.stopController.signal)
    }
    return false
  }
}

/** Updates with the same text wait for each other: messages of a chat, and clicks on a message. */
function turnOf({ message, callback_query: click }: TelegramUpdate): string {
  return click ? `${click.message?.chat.id}:${click.message?.message_id}` : String(message?.chat.id)
}
