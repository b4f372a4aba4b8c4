import type { Adapter } from 'chat'
import { expect, test } from 'vitest'
import { createPlaces } from '../../../../server/adapters/chat/places'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { discord } from '../../../../server/platforms/discord/definition'
import { silentLog } from '../../../fakes/runtime'
import { memoryDrafts } from '../../../support/sqlite'

const settings = { botToken: 'token', publicKey: 'key', applicationId: '1', channelId: '2' }
const places = createPlaces([discord.connect(settings, {
  log: silentLog, http: createHttpClient(), siteUrl: null, isCardOf: async () => false,
  drafts: memoryDrafts(),
})])
const adapter = { name: 'discord', botUserId: '1' } as Adapter

test('who is mentioned has none of the roles of who mentions them', async () => {
  const raw = { content: '<@1> assign abcd1234 <@9>', member: { roles: ['7'] } }
  const user = { userId: '5', userName: 'ada', fullName: 'Ada', isBot: false, isMe: false }
  expect(places.namesOf({ user, raw, adapter })).toEqual(['discord:5', 'discord:role:7'])
  expect(await places.mentionedIn({ raw, adapter })).toEqual([['discord:9']])
})
