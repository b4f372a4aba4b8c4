import type { Adapter, Chat } from 'chat'
import { renderCard } from '../adapters/chat/cards'
import { createResendMailer } from '../adapters/email/resend'
import { Outbox } from '../domain/submission/outbox'
import { Review } from '../domain/submission/review'
import type { OutboxPorts } from '../domain/submission/run'
import { platformByName } from '../platforms/registry'
import type { CardView } from '../ports/board'
import type { Forms } from '../ports/form'
import type { HttpClient } from '../ports/http'
import type { Monitor } from '../ports/monitor'
import type { Log } from '../ports/runtime'
import { UNREAD, type SubmissionStore } from '../ports/store'
import type { CardRef, Submission, SubmissionData } from '../ports/submission'

interface Asked {
  /** Of real decisions: what would send, write, count or log is put aside. */
  ports: OutboxPorts
  /** The forms, whose endpoints are reached so. */
  formsOver: (http: HttpClient) => Forms
  /** What a form may say. */
  data: SubmissionData
}

/** No submission has this id, which is no UUID. */
const ID = 'nobody'
const PERSON = { id: ID, name: 'Nobody', platform: 'none' }
const REVOCABLE_MS = { forward: 0, spam: 0 }

/** A vendor that says yes to everything, and that nothing is sent to. */
const vendor: HttpClient = async () => ({ status: 200, headers: {}, json: { id: ID } })

const UNHEARD = new Proxy({}, { get: () => () => {} }) as Log & Monitor

/**
 * Forwards a submission that there is not: V8 compiles what runs for the first time, and the first click would wait for
 * that. Nothing goes out or is counted, and nothing is written: the store is asked for each change, and refuses to
 * change what it does not have.
 */
export async function rehearseDecision({ ports, formsOver, data }: Asked): Promise<void> {
  const { store, board, presentation, runtime } = ports
  const forms = formsOver(vendor)
  const { rooms, rooms: [room] } = forms.of(undefined)
  const platform = room && platformByName(room.split('/')[0]!)
  if (!platform) return
  const card = { platform: platform.key, threadId: ID, messageId: ID }
  const tasks: Promise<unknown>[] = []
  const nowhere = {
    ...ports,
    store: unchanged(store, submissionOf(data, card, runtime.now())), presentation: { ...presentation, forms },
    board: {
      ...board, roomOf: () => room,
      update: async (_: CardRef, view: CardView) => {
        renderCard(view, platform)
        return { ok: true as const, value: undefined }
      },
    },
    mailer: createResendMailer({ apiKey: ID }, vendor), confirmations: { limit: 1, take: async () => 0 },
    files: undefined, monitor: UNHEARD, log: UNHEARD,
    runtime: { ...runtime, background: (task: Promise<unknown>) => void tasks.push(task.catch(() => {})) },
  }
  const review = new Review({
    ...nowhere, outbox: new Outbox(nowhere), reviewers: { refusal: async () => null, has: async () => true },
    revocableMs: REVOCABLE_MS, claimMs: 0,
  }, rooms)
  await review.decide(ID, 'forward', PERSON, { card, press: ID })
  // Each may begin another one before it ends.
  for (const task of tasks) await task
}

/** Presses a button in no room of ours, of a submission that there is not: to that, nobody is told anything. */
export async function rehearsePress(chat: Chat): Promise<void> {
  const adapter: Partial<Adapter> = { name: ID, channelIdFromThreadId: id => id, getUser: async () => null }
  const user = { userId: ID, userName: ID, fullName: ID, isBot: false, isMe: false }
  await chat.processAction({
    adapter: adapter as Adapter, actionId: 'forward', value: ID, user, threadId: ID, messageId: ID, raw: {},
  }, {})
}

function submissionOf(data: SubmissionData, card: CardRef, at: number): Submission {
  return {
    id: ID, version: 1, state: 'open', receivedAt: at, expiresAt: at + 60_000, data, reminded: false, edited: [],
    cards: [card], decision: null, work: [], delivered: [], failures: [], history: [],
  }
}

/** The store as if it had this one, and had made each change that it was asked for. */
function unchanged(store: SubmissionStore, known: Submission): SubmissionStore {
  const replace: SubmissionStore['replace'] = async (previous, next, audit) => {
    await store.replace(previous, next, audit)
    return next.data === UNREAD ? { ...next, data: known.data } : next
  }
  const recall = () => ({ ...known, data: UNREAD })
  return Object.assign(Object.create(store) as SubmissionStore, { recall, get: async () => known, replace })
}
