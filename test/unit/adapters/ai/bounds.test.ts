import { tool } from 'ai'
import { Message, parseMarkdown } from 'chat'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../../../server/adapters/ai/agent'
import { createModels } from '../../../../server/adapters/ai/model'
import type { KeptTurn } from '../../../../server/ports/approvals'
import type { AgentTurn, Conversation } from '../../../../server/ports/conversation'
import { endAfterAll } from '../../../support/lifetime'
import { startModelServer } from '../../../support/model-server'

const ADA = { id: 'U1', name: 'Ada', platform: 'Slack' }
const conversation: Conversation = {
  threadId: 'slack:C1:1', channelId: 'slack:C1', place: ['slack/C1', 'slack'], speaker: ADA, responsible: () => ADA,
}

const model = endAfterAll(await startModelServer())

const executions: string[] = []
const logged: unknown[] = []
beforeEach(() => {
  executions.splice(0)
  logged.splice(0)
})

const doing = (name: string, needsApproval: boolean) => tool({
  inputSchema: z.object({ at: z.number() }), needsApproval, execute: async ({ at }) => {
    executions.push(`${name} ${at}`)
    return 'done'
  },
})

const agentOf = () => new Agent({
  model: createModels({ kind: 'compatible', baseUrl: model.url, name: 'scripted' }).main,
  toolset: async () => ({
    tools: { read: doing('read', false), write: doing('write', true) }, describe: async () => ({ details: [] }),
  }),
  approvals: 'ask', isCard: () => false, limits: { steps: 5, timeMs: 60_000, historyChars: 50_000 },
  log: { info: () => {}, warn: () => {}, error: (event, facts) => void logged.push([event, facts]) },
})

const ask = () => agentOf().start([new Message({
  id: '1', threadId: conversation.threadId, text: 'go', formatted: parseMarkdown('go'), raw: {}, attachments: [],
  author: { userId: 'U1', userName: 'ada', fullName: 'Ada', isBot: false, isMe: false },
  metadata: { dateSent: new Date(), edited: false },
})], true, conversation)

const readWords = async ({ words }: AgentTurn) => (await Array.fromAsync(words)).join('')

const numbered = (name: string, count: number) => (
  Array.from({ length: count }, (_, at) => ({ name, input: { at }, id: `${name}-${at}` }))
)

/** Tool results that the model receives, by call id. */
const toolResults = () => Object.fromEntries(model.requests.at(-1)!.messages.filter(({ role }) => role === 'tool').map(
  ({ tool_call_id: id, content }) => [id, content],
))

test('an answer that the model did not end by itself says why it ends', async () => {
  model.script({ text: 'Three wait: the', finish: 'length' })
  expect(await readWords(await ask())).toMatch(/^Three wait: the\n\nMy answer became too long/)
  model.script({ finish: 'length' })
  expect(await readWords(await ask())).toMatch(/^\s*My answer became too long/)
  model.script({ finish: 'content_filter' })
  expect(await readWords(await ask())).toMatch(/^\s*The language model broke off here: its filter/)
})

test.each(['', '\n\n', ' '])('an answer of nothing to read (%j) says that there is none', async (text) => {
  model.script({ text })
  expect((await readWords(await ask())).trim()).toBe('I have no answer to that.')
})

test('a character that comes in two parts stays whole', async () => {
  model.script({ text: ['a \uD83E', '\uDD8A fox'] })
  expect(await readWords(await ask())).toBe('a 🦊 fox')
})

test('an answer that finds no end is broken off, and says so', async () => {
  model.script({ text: Array.from({ length: 60 }, () => 'word '.repeat(200)) })
  const turn = await ask()
  const text = await readWords(turn)
  expect(text.slice(39_990)).toMatch(/^word word \n\nMy answer became too long/)
  expect(await turn.outcome()).toEqual({ calls: [], state: '', isCut: true })
})

test('of one answer 20 calls are made, and the model is told of the others', async () => {
  model.script({ calls: numbered('read', 25) }, { calls: numbered('read', 2) }, { text: 'Read.' })
  expect(await readWords(await ask())).toBe('Read.')
  expect(executions).toHaveLength(22)
  model.script({ calls: numbered('read', 25) }, { text: 'Read.' })
  await readWords(await ask())
  const { 'read-19': twentieth, 'read-20': twentyFirst } = toolResults()
  expect([twentieth, twentyFirst]).toEqual(['done', expect.stringContaining('no more than 20 calls')])
})

test('of one answer 20 calls are asked about, and the model is told of the others once these are decided', async () => {
  model.script({ calls: numbered('write', 25) })
  const turn = await ask()
  await readWords(turn)
  const outcome = await turn.outcome()
  expect(outcome.calls.map(({ toolCallId }) => toolCallId)).toEqual(numbered('write', 20).map(({ id }) => id))
  const keptTurn: KeptTurn = {
    turn: { id: '1', threadId: conversation.threadId, asker: ADA, expiresAt: 0, ...outcome },
    verdicts: outcome.calls.map((_, at) => ({ approved: at < 19, by: ADA, at: 0 })), cards: [], taken: true,
  }
  model.script({ text: 'Written.' })
  expect(await readWords(await agentOf().resume(keptTurn, conversation))).toBe('Written.')
  expect(executions).toEqual(Array.from({ length: 19 }, (_, at) => `write ${at}`))
  const { 'write-18': approvedResult, 'write-19': deniedResult, 'write-20': excessResult } = toolResults()
  expect([approvedResult, deniedResult, excessResult]).toEqual([
    'done', 'Ada denied it.', expect.stringContaining('no more than 20 calls'),
  ])
})

test('of a model that was asked again in vain, the log says what it answered', async () => {
  model.script({ status: 503 }, { status: 503 })
  expect(await readWords(await ask())).toContain('The language model does not work just now')
  expect([model.requests.length, logged]).toEqual([
    2, [['agent.failed', { error: 'AI_APICallError', status: 503, code: undefined }]],
  ])
})
