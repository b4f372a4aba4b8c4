import type { Chat } from 'chat'
import { expect, test } from 'vitest'
import type { Approvals } from '../../../server/domain/conversation/approvals'
import type { AgentReplier } from '../../../server/handlers/agent'
import { sweepApprovals } from '../../../server/handlers/approvals'
import { FakeRuntime, silentLog } from '../../fakes/runtime'

const kept = (threadId: string) => ({ turn: { threadId }, verdicts: [], cards: [] })

test('a question on a platform that was taken out of the configuration keeps nobody from the end of another', async () => {
  const [gone, slack] = ['telegram:-100', 'slack:C1:1.1']
  const heard: string[] = []
  const bot = {
    getAdapter: (name: string) => name === 'slack' ? {} : undefined,
    // Throws for unknown platforms, like the SDK.
    thread: (id: string) => {
      if (!id.startsWith('slack:')) throw new Error(`No adapter for ${id}.`)
      return { id }
    },
  } as unknown as Chat
  const replier = {
    resume: async (_: unknown, { id }: { id: string }) => void heard.push(`over: ${id}`),
    abandon: async (_: unknown, { id }: { id: string }) => void heard.push(`abandoned: ${id}`),
  } as unknown as AgentReplier
  const found = { expired: [kept(gone), kept(slack)], abandoned: [kept(gone), kept(slack)] }
  const approvals = { sweep: async () => found } as unknown as Approvals
  await sweepApprovals(async () => ({ bot, replier }), { approvals, runtime: new FakeRuntime(), log: silentLog })
  expect(heard).toEqual([`over: ${slack}`, `abandoned: ${slack}`])
})
