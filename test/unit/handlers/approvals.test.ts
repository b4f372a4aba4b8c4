import type { Chat } from 'chat'
import { expect, test } from 'vitest'
import type { Approvals } from '../../../server/domain/conversation/approvals'
import type { AgentReplier } from '../../../server/handlers/agent'
import { sweepApprovals } from '../../../server/handlers/approvals'
import { testContext } from '../../fakes/context'

const keptTurn = (threadId: string) => ({ turn: { threadId }, verdicts: [], cards: [] })

test('a question on a platform that was taken out of the configuration keeps nobody from the end of another', async () => {
  const [removedThread, slackThread] = ['telegram:-100', 'slack:C1:1.1']
  const calls: string[] = []
  const bot = {
    getAdapter: (name: string) => name === 'slack' ? {} : undefined,
    // Throws for unknown platforms, like the SDK.
    thread: (id: string) => {
      if (!id.startsWith('slack:')) throw new Error(`No adapter for ${id}.`)
      return { id }
    },
  } as unknown as Chat
  const replier = {
    resume: async (_: unknown, { id }: { id: string }) => void calls.push(`over: ${id}`),
    abandon: async (_: unknown, { id }: { id: string }) => void calls.push(`abandoned: ${id}`),
  } as unknown as AgentReplier
  const turns = [keptTurn(removedThread), keptTurn(slackThread)]
  const sweptTurns = { expired: turns, abandoned: turns }
  const approvals = { sweep: async () => sweptTurns } as unknown as Approvals
  await sweepApprovals(async () => ({ bot, replier }), approvals, testContext())
  expect(calls).toEqual([`over: ${slackThread}`, `abandoned: ${slackThread}`])
})
