import { expect, test } from 'vitest'
import { Directory, RestReader } from '../../../../../server/platforms/discord/gateway/directory'
import type { DiscordRest } from '../../../../../server/platforms/discord/api/rest'

const message = { id: '1', channel_id: '5', guild_id: '3' }

test('an answer that is not about the channel is no answer, and nothing is remembered of it', async () => {
  const answers = [{ message: 'Just a moment …' }, { id: '6', type: 0 }, { id: '5', type: 11, parent_id: '2' }]
  const directory = new Directory(new RestReader((async () => answers.shift()) as DiscordRest))
  const enrich = () => directory.enrich('MESSAGE_CREATE', message)
  await expect(enrich()).rejects.toThrow('Discord')
  await expect(enrich()).rejects.toThrow('Discord')
  const expected = { ...message, thread: { id: '5', parent_id: '2' } }
  expect(await enrich()).toEqual(expected)
  expect(await enrich()).toEqual(expected)
})
