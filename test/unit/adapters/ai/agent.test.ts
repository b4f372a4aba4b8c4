import { tool } from 'ai'
import type { Attachment } from 'chat'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../../../server/adapters/ai/agent'
import { createModels } from '../../../../server/adapters/ai/model'
import type { Toolset } from '../../../../server/adapters/ai/toolset'
import type { AgentTurn, Conversation } from '../../../../server/ports/conversation'
import type { KeptTurn, ApprovalDecision } from '../../../../server/ports/approvals'
import type { Field } from '../../../../server/ports/submission'
import { chatMessage as message } from '../../../fixtures/messages'
import { endAfterAll } from '../../../support/lifetime'
import { startModelServer } from '../../../support/model-server'

const ADA = { id: 'U1', name: 'Ada', platform: 'Slack' }
const conversation: Conversation = {
  threadId: 'slack:C1:1', channelId: 'slack:C1', place: ['slack/C1', 'slack'], speaker: ADA, responsible: () => ADA,
}

const model = endAfterAll(await startModelServer())

const logged: [string, unknown][] = []
const note = (event: string, facts?: unknown) => void logged.push([event, facts])

const TIME_MS = 60_000

function agentWith(
  tools: Toolset['tools'] = {},
  { approvals = 'ask', described = [] }: { approvals?: 'ask' | 'deny', described?: Field[] } = {},
): Agent {
  return new Agent({
    model: createModels({ kind: 'compatible', baseUrl: model.url, name: 'scripted' }).main,
    toolset: async () => ({ tools, describe: async () => ({ details: described }) }), approvals, isCard: () => false,
    limits: { steps: 5, timeMs: TIME_MS, historyChars: 50_000 }, log: { info: note, warn: note, error: note },
  })
}

const readWords = async ({ words }: AgentTurn) => (await Array.fromAsync(words)).join('')

/** Stored turn with this outcome and these decisions on its calls */
const keptWith = (outcome: Awaited<ReturnType<AgentTurn['outcome']>>, verdicts: KeptTurn['verdicts']): KeptTurn => ({
  turn: { id: '1', threadId: conversation.threadId, asker: ADA, expiresAt: 0, ...outcome }, verdicts, cards: [null],
  taken: true,
})

const file = (type: Attachment['type'], mimeType: string, name: string, content: string): Attachment => ({
  type, mimeType, name, url: `https://example.com/${name}`, fetchData: async () => Buffer.from(content),
})

describe('tools', () => {
  test('one that throws is told to the model, and its message is not logged', async () => {
    model.script({ calls: [{ name: 'fail', input: {} }] }, { text: 'It failed.' })
    logged.length = 0
    const fail = tool({
      inputSchema: z.object({}), execute: async (): Promise<string> => { throw new Error('secret form data') },
    })
    expect(await readWords(await agentWith({ fail }).start([message('try')], true, conversation))).toBe('It failed.')
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({
      role: 'tool', content: expect.stringContaining('secret form data') as string,
    })
    expect(logged).toEqual([
      ['agent.tool-failed', { tool: 'fail', error: 'Error', status: undefined, code: undefined }],
    ])
  })

  test('one that hangs ends with the time limit, in words', async () => {
    model.script({ calls: [{ name: 'hang', input: {} }] })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hang = tool({ inputSchema: z.object({}), execute: async () => {
      vi.advanceTimersByTime(TIME_MS)
      return new Promise<string>(() => {})
    } })
    const turn = await agentWith({ hang }).start([message('try')], true, conversation)
    expect(await readWords(turn).finally(() => vi.useRealTimers())).toContain('This took too long')
    expect(await turn.outcome()).toEqual({ calls: [], state: '', isCut: true })
  })

  test('a write with a condition is denied only where it would ask', async () => {
    model.script(
      { calls: [{ name: 'pay', input: { amount: 5 } }, { name: 'pay', input: { amount: 500 } }] },
      { text: 'Paid one.' },
    )
    const pay = tool({
      inputSchema: z.object({ amount: z.number() }), needsApproval: ({ amount }) => amount > 100,
      execute: async ({ amount }) => `paid ${amount}`,
    })
    const turn = await agentWith({ pay }, { approvals: 'deny' }).start([message('pay')], true, conversation)
    expect(await readWords(turn)).toBe('Paid one.')
    expect((await turn.outcome()).calls).toEqual([])
    expect(model.requests[1]!.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(
      [expect.stringContaining('paid 5'), expect.stringContaining('AGENT_APPROVALS')].toSorted(),
    )
  })
})

describe('a turn that waits', () => {
  const runs: unknown[] = []
  const write = tool({ title: 'Write it', inputSchema: z.object({
    path: z.string(), tags: z.array(z.string()),
  }), needsApproval: true, execute: async (input) => {
    runs.push(input)
    return 'written'
  } })
  const input = { path: 'a.txt', tags: ['x', 'y'] }

  async function startWaitingTurn(agent = agentWith({ write }), attachments: Attachment[] = []): Promise<KeptTurn> {
    runs.length = 0
    model.script({ text: 'May I?', calls: [{ name: 'write', input }] })
    const turn = await agent.start([message('write', attachments)], true, conversation)
    expect(await readWords(turn)).toBe('May I?')
    return keptWith(await turn.outcome(), [null])
  }

  test('is text that any process can go on from, with the call as people read it', async () => {
    const turn = await startWaitingTurn()
    expect(turn.turn.calls).toMatchObject([
      { title: 'Write it', details: [{ label: 'path', value: 'a.txt' }, { label: 'tags', value: '["x","y"]' }] },
    ])
    expect(runs).toEqual([])
    model.script({ text: 'Done.' })
    const verdict: ApprovalDecision = { approved: true, by: ADA, at: 0 }
    expect(await readWords(await agentWith({ write }).resume(
      JSON.parse(JSON.stringify({ ...turn, verdicts: [verdict] })) as KeptTurn, conversation,
    ))).toBe('Done.')
    expect(runs).toEqual([input])
    expect(model.requests[0]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('has one detail for each change of a list of changes, before what else is known', async () => {
    const edit = tool({ title: 'Edit it', inputSchema: z.object({ id: z.string(), changes: z.array(z.object({
      field: z.string(), value: z.string(),
    })) }), needsApproval: true, execute: async () => 'edited' })
    const agent = agentWith({ edit }, { described: [{ label: 'Submission: name', value: 'Ada', edited: false }] })
    const changes = [
      { field: 'message', value: 'words '.repeat(200) }, { field: 'email', value: 'ada@example.com' },
      { field: ' ', value: '' },
    ]
    model.script({ calls: [{ name: 'edit', input: { id: '1', changes } }] })
    const turn = await agent.start([message('edit')], true, conversation)
    await readWords(turn)
    expect((await turn.outcome()).calls[0]!.details).toEqual([
      { label: 'id', value: '1', edited: false },
      { label: 'Change message', value: changes[0]!.value, edited: false },
      { label: 'Change email', value: 'ada@example.com', edited: false },
      { label: 'Change " "', value: '', edited: false },
      { label: 'Submission: name', value: 'Ada', edited: false },
    ])
  })

  test('runs nothing when writes were switched off in the meantime', async () => {
    const turn = await startWaitingTurn()
    model.script({ text: 'I may not.' })
    expect(await readWords(await agentWith({ write }, { approvals: 'deny' }).resume(
      { ...turn, verdicts: [{ approved: true, by: ADA, at: 0 }] }, conversation,
    ))).toBe('I may not.')
    expect(runs).toEqual([])
  })

  test('keeps no attachment that is larger than what is worth keeping', async () => {
    const turn = await startWaitingTurn(undefined, [file('image', 'image/png', 'a.png', 'x'.repeat(1_000_000))])
    expect(turn.turn.state.length).toBeLessThan(5000)
    expect(turn.turn.state).toContain('[The attachment \\"a.png\\" is left out here.]')
  })
})

test('the gateway is asked for a model by its name', () => {
  const { provider, modelId } = createModels({ kind: 'gateway', apiKey: 'k', name: 'anthropic/claude-sonnet-4.5' }).main
  expect([provider, modelId]).toEqual(['gateway', 'anthropic/claude-sonnet-4.5'])
})

const executions: string[] = []
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

const agentOf = () => agentWith({ read: doing('read', false), write: doing('write', true) })
const ask = () => agentOf().start([message('go')], true, conversation)

const numbered = (name: string, count: number) => (
  Array.from({ length: count }, (_, at) => ({ name, input: { at }, id: `${name}-${at}` }))
)

/** Tool results that the model receives, by call id. */
const toolResults = () => Object.fromEntries(model.requests.at(-1)!.messages.filter(({ role }) => role === 'tool').map(
  ({ tool_call_id: id, content }) => [id, content],
))

test.each<[string, Parameters<typeof model.script>[0], RegExp]>([
  ['cut by its length', { text: 'Three wait: the', finish: 'length' }, /^Three wait: the\n\nMy answer became too long/],
  ['cut before its first word', { finish: 'length' }, /^\s*My answer became too long/],
  ['cut by a filter', { finish: 'content_filter' }, /^\s*The language model broke off here: its filter/],
  ...['', '\n\n', ' '].map((text): [string, { text: string }, RegExp] => (
    [`with nothing to read (${JSON.stringify(text)})`, { text }, /^\s*I have no answer to that\.\s*$/]
  )),
])('an answer %s says why it ends', async (_, answer, says) => {
  model.script(answer)
  expect(await readWords(await ask())).toMatch(says)
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
  expect([twentieth, twentyFirst]).toEqual(['done', expect.stringContaining('at most 20 calls')])
})

test('of one answer 20 calls are asked about, and the model is told of the others once these are decided', async () => {
  model.script({ calls: numbered('write', 25) })
  const turn = await ask()
  await readWords(turn)
  const outcome = await turn.outcome()
  expect(outcome.calls.map(({ toolCallId }) => toolCallId)).toEqual(numbered('write', 20).map(({ id }) => id))
  const keptTurn = keptWith(outcome, outcome.calls.map((_, at) => ({ approved: at < 19, by: ADA, at: 0 })))
  model.script({ text: 'Written.' })
  expect(await readWords(await agentOf().resume(keptTurn, conversation))).toBe('Written.')
  expect(executions).toEqual(Array.from({ length: 19 }, (_, at) => `write ${at}`))
  const { 'write-18': approvedResult, 'write-19': deniedResult, 'write-20': excessResult } = toolResults()
  expect([approvedResult, deniedResult, excessResult]).toEqual([
    'done', 'Ada denied it.', expect.stringContaining('at most 20 calls'),
  ])
})

test('of a model that was asked again in vain, the log says what it answered', async () => {
  model.script({ status: 503 }, { status: 503 })
  expect(await readWords(await ask())).toContain('The language model does not work just now')
  expect([model.requests.length, logged]).toEqual([
    2, [['agent.failed', { error: 'AI_APICallError', status: 503, code: undefined }]],
  ])
})
