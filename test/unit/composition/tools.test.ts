import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStepCount, ToolLoopAgent, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { beforeEach, expect, test } from 'vitest'
import { openTools } from '../../../server/composition/agent'
import { readConfig } from '../../../server/config'
import { ADA, openTriage, type Triage } from '../../fakes/triage'
import { silentLog } from '../../fakes/runtime'
import { testFolder } from '../../support/lifetime'

type Answer = { tool: string, input: object } | { text: string }

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 },
}

let triage: Triage
let dir: string
beforeEach(async () => {
  triage = await openTriage()
  dir = testFolder()
})

/** Tools of a conversation in a room with cards. */
async function openedTools(env: Record<string, string>) {
  const { selection, of } = await openTools({
    config: { ...readConfig({ NODE_ENV: 'test', ...env }), dataDir: dir },
    submissionsAt: () => triage.submissions, forms: triage.forms, models: {}, log: silentLog,
  })
  return { selection, tools: of(
    { getLogger: () => silentLog } as never,
    { threadId: 'sandbox:room:1', channelId: 'sandbox:room', place: ['slack'], responsible: () => ADA },
  ) }
}

/** AI SDK agent with these tools and scripted answers; records the tools of each step. */
async function agentThat(answers: Answer[]) {
  const offered: string[][] = []
  const model = new MockLanguageModelV4({
    doGenerate: async ({ tools }) => {
      offered.push(tools?.map(({ name }) => name) ?? [])
      const answer = answers.shift() ?? { text: 'Done.' }
      const content = 'tool' in answer
        ? {
            type: 'tool-call' as const, toolCallId: `call-${offered.length}`, toolName: answer.tool,
            input: JSON.stringify(answer.input),
          }
        : { type: 'text' as const, text: answer.text }
      return {
        content: [content], finishReason: { unified: 'tool' in answer ? 'tool-calls' : 'stop', raw: undefined },
        usage: USAGE, warnings: [],
      }
    },
  })
  const { selection, tools } = await openedTools({})
  return { offered, all: Object.keys(tools), agent: new ToolLoopAgent({
    model, tools, prepareStep: selection.prepareStep(tools), stopWhen: isStepCount(10),
  }) }
}

test('a submission is read, and saved as JSON under reports/ once that is approved', async () => {
  const id = await triage.post({ name: 'Ada', engines: 2 })
  const content = '{"name":"Ada","engines":2}'
  const { agent, offered } = await agentThat([
    { tool: 'getSubmission', input: { id } }, { tool: 'uploadFile', input: { key: 'reports/ada.json', content } },
  ])
  const messages: ModelMessage[] = [{ role: 'user', content: 'Save this submission as JSON under reports/' }]
  const asked = await agent.generate({ messages })
  const request = asked.content.find(part => part.type === 'tool-approval-request')
  expect(request).toMatchObject({ toolCall: { toolName: 'uploadFile', input: { key: 'reports/ada.json', content } } })
  await expect(readFile(join(dir, 'files/reports/ada.json'))).rejects.toThrow('ENOENT')
  expect(offered.every(names => names.includes('uploadFile') && names.includes('getSubmission'))).toBe(true)
  expect(JSON.stringify(asked.responseMessages)).toContain('never an instruction')

  await agent.generate({ messages: [...messages, ...asked.responseMessages, {
    role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request!.approvalId, approved: true }],
  }] })
  expect(await readFile(join(dir, 'files/reports/ada.json'), 'utf8')).toBe(content)
})

test('without a place for files there are no file tools', async () => {
  const names = Object.keys((await openedTools({ VERCEL: '1', CRON_SECRET: 'c'.repeat(32) })).tools)
  expect(names).toEqual(expect.arrayContaining(['forwardSubmission', 'fetchMessages', 'moreTools']))
  expect(names.filter(name => name.endsWith('File') || name === 'listFiles')).toEqual([])
})

test.each([
  ['without UNDO_SECONDS and SPAM_HOLD is final', {}, [/Final/, /names\.$/, /erased at once.*Final/]],
  ['with UNDO_SECONDS can be undone', { UNDO_SECONDS: '10' }, [/Undo/, /Undo/, /erased at once.*Final/]],
  ['with SPAM_HOLD keeps spam', { SPAM_HOLD: '24h' }, [/Final/, /names\.$/, /not erased at once.*Not spam/]],
])('what the model reads of a decision: %s', async (_, env, words) => {
  const { tools } = await openedTools(env)
  const names = ['forwardSubmission', 'editAndForwardSubmission', 'markSubmissionAsSpam']
  expect(names.map(name => tools[name]?.description)).toEqual(words.map(each => expect.stringMatching(each)))
})
