import type { Adapter, Chat, SlashCommandEvent, SlashCommandHandler } from 'chat'
import { expect, test } from 'vitest'
import type { ChatCommands } from '../../../server/domain/conversation/commands'
import { registerSlashCommands } from '../../../server/handlers/slash-commands'
import { silentLog } from '../../fakes/runtime'

test.each([
  ['alone where the platform can do that', true, ['alone: That did not work just now.']],
  ['in the channel elsewhere', false, ['alone: That did not work just now.', 'channel: That did not work just now.']],
])('what goes wrong is told to whoever asked, %s', async (_, isPrivate, expected) => {
  let handler: SlashCommandHandler | undefined
  const replies: string[] = []
  const bot = { onSlashCommand: (_name: string, handle: SlashCommandHandler) => { handler = handle } }
  const adapter = { name: 'slack' } as Adapter
  registerSlashCommands(bot as unknown as Chat, {
    commands: {} as ChatCommands, assignments: null, mentionedIn: () => Promise.resolve([]),
    platformLabel: key => key, log: silentLog, known: () => ({}),
    here: async () => { throw new Error('The store is away.') },
    render: answer => 'speech' in answer ? String(answer.speech.text[0]) : '',
  })
  await handler!({
    adapter, user: { userId: 'U1', fullName: 'Ada' }, text: 'pending', command: '/forms', raw: {},
    channel: {
      id: 'slack:C1', adapter,
      postEphemeral: async (_user: unknown, text: string) => {
        replies.push(`alone: ${text.split('.')[0]}.`)
        return isPrivate ? {} : null
      },
      post: async (text: string) => { replies.push(`channel: ${text.split('.')[0]}.`) },
    },
  } as unknown as SlashCommandEvent)
  expect(replies).toEqual(expected)
})
