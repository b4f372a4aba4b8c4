import { expect, test } from 'vitest'
import { tellPrivately } from '../../../server/handlers/speaker'

const refuseWhisper = () => Promise.reject(new Error('not_in_channel'))

/** Lists the ways of telling one person something, given how a platform's private messages and modals behave. */
async function listReplies(
  { whisper, modal, isDM = false }: { whisper: () => Promise<object | null>, modal?: object, isDM?: boolean },
): Promise<string[]> {
  const replies: string[] = []
  const event = {
    threadId: 'a:1', messageId: '1', user: { userId: 'U1' }, thread: { isDM, postEphemeral: whisper },
    adapter: { name: 'a', reply: async () => replies.push('reply') },
    openModal: async () => {
      if (modal) replies.push('modal')
      return modal
    },
  }
  const log = { info: () => {}, error: () => {}, warn: (name: string) => void replies.push(name) }
  await tellPrivately(event as never, 'No.', 'Title', { render: () => '', noticeModal: () => ({}) as never, log })
  return replies
}

test.each([
  ['where the platform has private words', { whisper: async () => ({}), modal: {} }, []],
  ['in a modal where it has none', { whisper: async () => null, modal: {} }, ['modal']],
  ['in a modal where they are refused, as in a channel that the bot has left', { whisper: refuseWhisper, modal: {} }, ['modal']],
  ['below the message where there is neither', { whisper: async () => null }, ['reply']],
  ['below the message where they are refused and nobody else reads', { whisper: refuseWhisper, isDM: true }, ['reply']],
  ['nowhere, but in the log, where they are refused and others read', { whisper: refuseWhisper }, ['notice.lost']],
])('one person is told %s', async (_, platform, expected) => expect(await listReplies(platform)).toEqual(expected))
