import type { RichText } from '../../shared/types/line'
import { plainText } from '../../shared/utils/line'
import type { CardView, ReviewBoard } from '../../server/ports/board'
import type { Outcome } from '../../server/ports/delivery'
import type { CardRef } from '../../server/ports/submission'

/** Answer of a platform; a promise keeps the call in flight. */
type Answer = Outcome | Promise<Outcome>

type ShownCard = CardView & { notes: string[] }

/** A board that records the text of every card. A call takes effect when it ends, as on a real platform. */
export class FakeBoard implements ReviewBoard {
  /** Current content of the cards, by message id */
  readonly shown = new Map<string, ShownCard>()
  /** Every post and update that took effect, in order */
  readonly history: ShownCard[] = []
  /** Answers to the next posts and updates; `ok` once they are used up. */
  readonly posts: Answer[] = []
  readonly updates: Answer[] = []
  /** Messages posted to threads and channels */
  readonly replies: { ref: CardRef, text: string, names?: readonly string[] }[] = []
  readonly announcements: { platform: string, text: string, url: string | null }[] = []
  /** Minimum pause between two new cards, ms */
  interval = 0
  /** Maximum number of concurrent updates of one card so far */
  overlap = 0
  /** Result of the check of each platform; `ok` by default */
  readonly checks = new Map<string, Answer>()
  /** Rooms whose app is not installed yet */
  readonly awaited = new Set<string>()
  /** Number of platform checks so far */
  checked = 0
  private readonly inFlight = new Map<string, number>()
  private posted = 0

  /** Members of each group; the function is called at each request */
  readonly groups = new Map<string, () => Promise<Outcome<readonly string[]>>>()

  membersOf(group: string): Promise<Outcome<readonly string[]>> | null {
    return this.groups.get(group)?.() ?? null
  }

  async nameOf(): Promise<null> {
    return null
  }

  constructor(readonly platforms: readonly string[] = ['slack']) {}

  async identify(platform: string): Promise<Outcome<string>> {
    return { ok: true, value: `form-bot on ${platform}` }
  }

  async check(platform: string): Promise<Outcome<boolean>> {
    this.checked++
    const answer = await (this.checks.get(platform) ?? ok)
    return answer.ok ? { ok: true, value: true } : answer
  }

  async post(platform: string, card: CardView): Promise<Outcome<CardRef>> {
    const messageId = `${platform}-${++this.posted}`
    const answer = await (this.posts.shift() ?? ok)
    if (!answer.ok) return answer
    this.show(messageId, card)
    return { ok: true, value: { platform, threadId: `${platform}:room:${messageId}`, messageId } }
  }

  async update({ messageId }: CardRef, card: CardView): Promise<Outcome> {
    const busy = (this.inFlight.get(messageId) ?? 0) + 1
    this.inFlight.set(messageId, busy)
    this.overlap = Math.max(this.overlap, busy)
    const answer = await (this.updates.shift() ?? ok)
    this.inFlight.set(messageId, this.inFlight.get(messageId)! - 1)
    if (answer.ok) this.show(messageId, card)
    return answer
  }

  async reply(ref: CardRef, text: RichText, names?: readonly string[]): Promise<Outcome> {
    this.replies.push({ ref, text: plainText(text), ...names && { names } })
    return ok
  }

  async announce(platform: string, text: RichText, url: string | null): Promise<Outcome> {
    this.announcements.push({ platform, text: plainText(text), url })
    return ok
  }

  label(room: string): string {
    const platform = room.split('/')[0]!
    return platform.charAt(0).toUpperCase() + platform.slice(1)
  }

  roomOf({ platform }: CardRef): string {
    return platform
  }

  placeOf({ platform }: CardRef): string[] {
    return [platform]
  }

  async hasMember(): Promise<Outcome<boolean>> {
    return { ok: true, value: false }
  }

  async link({ messageId }: CardRef): Promise<string | null> {
    return this.shown.has(messageId) ? `https://chat.example.com/${messageId}` : null
  }

  async awaits(room: string): Promise<string | null> {
    return this.awaited.has(room) ? 'It is installed nowhere.' : null
  }

  intervalMs(): number {
    return this.interval
  }

  private show(messageId: string, view: CardView): void {
    const card = { ...view, notes: view.notes.map(plainText) }
    this.shown.set(messageId, card)
    this.history.push(card)
  }
}

export const ok: Outcome = { ok: true, value: undefined }

export function failing(
  reason: string, details: { permanent?: boolean, gone?: boolean, retryAfterMs?: number } = {},
): Outcome {
  return { ok: false, reason, permanent: false, ...details }
}
