import { escapeSlackText } from '@chat-adapter/slack/format'
import type { CardElement, RawMessage } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import type { Outcome } from '../../ports/delivery'
import type { HttpClient } from '../../ports/http'
import type { CardRef } from '../../ports/submission'
import type { Room } from '../connection'
import { done, idIn, unwrap } from '../shared/answers'
import { withRetryAfter } from '../shared/patience'
import type { PostableSpeech } from '../shared/speech'
import { cardBlocks } from './blocks'
import { createSlackCall, isUnknownChannel, type SlackCall, type SlackSettings, placeOf } from './client'

/** Timeout of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/** Maximum pages of a channel's members that are read, 999 members each; people on later pages count as strangers. */
const MEMBER_PAGES = 10

/** Maximum time a page waits for the workspace's address, ms; later pages find it cached. */
const ADDRESS_WAIT_MS = 800

/** Pause before the address is requested again, ms. */
const ADDRESS_RETRY_MS = 30_000

/**
 * Posts and edits cards. Bypasses the SDK's adapter: it puts the whole card into `text`, and `chat.update` accepts only
 * 4,000 bytes there.
 *
 * A card's thread id names only the channel. Its workspace is known from the forms, which name both.
 *
 * @param tokenOf returns the token of another workspace; null if it has not installed the app
 * @param moved current ids of channels whose id has changed; none by default
 */
export function createSlackRoom(
  settings: SlackSettings & { channelId: string }, http: HttpClient, tokenOf: (team: string) => Promise<string | null>,
  moved = { current: (channel: string) => channel, find: async (channel: string) => channel },
): Room {
  const { channel, team } = placeOf(settings.channelId)
  const teams = new Map(
    [...settings.channels ?? [], settings.channelId].map(placeOf).map(place => [place.channel, place.team]),
  )
  const workspaces = new Map<string | undefined, Workspace>()

  /** Returns the workspace of a channel. */
  const workspaceFor = (channelId: string): Workspace => {
    const team = teams.get(channelId)
    const existing = workspaces.get(team)
    if (existing) return existing
    const call = createSlackCall(
      { ...settings, team }, () => team ? tokenOf(team) : settings.botToken, TIMEOUT_MS, http,
    )
    const workspace = { call, address: workspaceAddress(call) }
    workspaces.set(team, workspace)
    return workspace
  }
  /** Makes a call about a channel, with the channel's current id. */
  const callAbout = async (
    channelId: string, method: string, bodyOf: (channel: string) => Parameters<SlackCall>[1],
  ) => {
    const currentId = moved.current(channelId)
    const outcome = await workspaceFor(channelId).call(method, bodyOf(currentId))
    const newId = isUnknownChannel(outcome) ? await moved.find(channelId).catch(() => currentId) : currentId
    return newId === currentId ? outcome : workspaceFor(channelId).call(method, bodyOf(newId))
  }
  const post = (channelId: string, card: CardElement, summary: string, thread?: string, mention?: string) => (
    callAbout(channelId, 'chat.postMessage', currentId => ({
      channel: currentId, thread_ts: thread, ...cardContent({ card, fallbackText: summary, mention }),
      unfurl_links: false, unfurl_media: false,
    }))
  )

  /** True if the member is the same person: somebody of another workspace may have the same id there. */
  const isSamePerson = async (userId: string, ids: readonly string[]): Promise<Outcome<boolean>> => {
    if (ids.includes(team ? `${team}:${userId}` : userId)) return { ok: true, value: true }
    // Other workspaces may share the channel.
    const outcome = await workspaceFor(channel).call('users.info', new URLSearchParams({ user: userId }))
    if (!outcome.ok) return outcome
    const { team_id: memberTeam } = (outcome.value.user ?? {}) as { team_id?: unknown }
    return { ok: true, value: ids.includes(`${String(memberTeam)}:${userId}`) }
  }

  return {
    async post(card, summary) {
      const outcome = await post(channel, card, summary)
      if (!outcome.ok) return outcome
      const ts = idIn('Slack', outcome.value.ts)
      if (!ts.ok) return ts
      return { ok: true, value: {
        platform: 'slack', threadId: `slack:${channel}:${ts.value}`, messageId: ts.value,
      } }
    },
    async update(ref, card, summary) {
      return done(await callAbout(channelOf(ref), 'chat.update', currentId => ({
        channel: currentId, ts: ref.messageId, text: escapeSlackText(summary), blocks: cardBlocks(card),
      })))
    },
    // Not conversations.info: a bot can post without the scope channels:read.
    check: async () => done(await workspaceFor(channel).call('auth.test', {})),
    async say(card, summary, below, mention) {
      const channelId = below ? channelOf(below) : channel
      return done(await post(channelId, card, summary, below?.messageId, mention))
    },
    async hasMember(userId, ids) {
      for (let page = 0, cursor = ''; page < MEMBER_PAGES; page++) {
        const outcome = await callAbout(channel, 'conversations.members', currentId => (
          new URLSearchParams({ channel: currentId, limit: '999', ...cursor ? { cursor } : {} })
        ))
        if (!outcome.ok) return outcome
        const { members, response_metadata: metadata } = outcome.value as {
          members?: string[]
          response_metadata?: { next_cursor?: string }
        }
        if (members?.includes(userId)) return isSamePerson(userId, ids)
        cursor = metadata?.next_cursor ?? ''
        if (!cursor) break
      }
      return { ok: true, value: false }
    },
    async link(ref) {
      const address = await workspaceFor(channelOf(ref)).address()
      return address && `${address}/archives/${moved.current(channelOf(ref))}/p${ref.messageId.replace('.', '')}`
    },
  }
}

interface Workspace {
  call: SlackCall
  address: () => Promise<string | null>
}

/** `https://<workspace>.slack.com`, requested on first use and then cached; null until it is known. */
function workspaceAddress(call: SlackCall): () => Promise<string | null> {
  let address: string | null = null
  let pendingRequest: Promise<void> | null = null
  let requestedAt = 0

  async function requestAddress(): Promise<void> {
    const outcome = await call('auth.test', {})
    const url = outcome.ok ? String(outcome.value.url) : ''
    if (/^https?:/.test(url) && URL.canParse(url)) address = new URL(url).origin
  }

  return async () => {
    if (address === null && !pendingRequest && Date.now() - requestedAt > ADDRESS_RETRY_MS) {
      requestedAt = Date.now()
      pendingRequest = requestAddress().finally(() => { pendingRequest = null })
    }
    if (pendingRequest) await withinOrNull(ADDRESS_WAIT_MS, pendingRequest)
    return address
  }
}

/** Thread ids have the form `slack:channel:ts`. */
function channelOf({ threadId }: CardRef): string {
  return threadId.split(':')[1]!
}

interface ThreadAddress {
  channel: string
  threadTs: string
}

export async function postSpeech(
  call: SlackCall, { channel, threadTs }: ThreadAddress, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const value = await withRetryAfter(async () => unwrap(await call('chat.postMessage', {
    channel, ...threadTs ? { thread_ts: threadTs } : {}, ...cardContent(speech),
    unfurl_links: false, unfurl_media: false,
  })))
  return { id: String(value.ts), threadId: `slack:${channel}:${threadTs}`, raw: value }
}

export async function updateSpeech(
  call: SlackCall, { channel, threadTs }: ThreadAddress, ts: string, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const message = { channel, ts, ...cardContent(speech) }
  const value = await withRetryAfter(async () => unwrap(await call('chat.update', message)))
  return { id: ts, threadId: `slack:${channel}:${threadTs}`, raw: value }
}

/** Posts a message that only one person sees. */
export async function postEphemeral(
  call: SlackCall, { channel, threadTs }: ThreadAddress, user: string, speech: PostableSpeech,
): Promise<Record<string, unknown>> {
  return unwrap(await call('chat.postEphemeral', {
    channel, ...threadTs ? { thread_ts: threadTs } : {}, user, ...cardContent(speech),
  }))
}

/**
 * Answers a command at its response URL, which also works in channels without the bot.
 *
 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
export async function answerCommand(
  http: HttpClient, url: string, speech: PostableSpeech, timeoutMs: number,
): Promise<void> {
  const body = JSON.stringify({ response_type: 'ephemeral', ...cardContent(speech) })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const { status } = await http({ method: 'POST', url, headers, body, timeoutMs })
  if (status !== 200) throw new Error(`Slack: HTTP ${status}`)
}

/** Content of a message with a card. */
export function cardContent(
  { card, fallbackText, mention }: Pick<PostableSpeech, 'card' | 'fallbackText' | 'mention'>,
): { text: string, blocks: object[] } {
  // Only `mrkdwn` mentions people, so the mention has a block of its own.
  const mentionBlocks = mention ? [{ type: 'section', text: { type: 'mrkdwn', text: mention } }] : []
  return { text: escapeSlackText(fallbackText), blocks: [...mentionBlocks, ...cardBlocks(card)] }
}
