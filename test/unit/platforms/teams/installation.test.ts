import { expect, test } from 'vitest'
import { lateRoomOf } from '../../../../server/platforms/teams/definition'

const TENANT = 'a1b2c3d4-0000-4000-8000-00000000c0de'
const CHANNEL = '19:triage@thread.tacv2'
const ADDED = {
  conversationId: CHANNEL, tenantId: TENANT, raw: { channelData: { team: { id: '19:team@thread.tacv2' } } },
}
const room = lateRoomOf({ appId: 'app', tenantId: TENANT })

test('cards go to the channel of a team of our tenant in which the app is added, however its id is written', () => {
  const there = { channel: CHANNEL, within: '19:team@thread.tacv2' }
  expect(room.installationIn(ADDED)).toEqual(there)
  expect(room.installationIn({ ...ADDED, tenantId: TENANT.toUpperCase() })).toEqual(there)
  expect(room.installationIn({ ...ADDED, conversationId: `${CHANNEL};messageid=1` })).toEqual(there)
})

test.each<[string, object]>([
  ['another tenant', { tenantId: 'b1c2d3e4-0000-4000-8000-00000000e711' }], ['no tenant', { tenantId: undefined }],
  ['no team', { raw: {} }], ['no team, as a chat says it', { raw: { channelData: { team: null } } }],
  ['a team without an id', { raw: { channelData: { team: {} } } }],
  ['a team whose id is none', { raw: { channelData: { team: { id: ['19:team'] } } } }],
  ['what is no channel', { conversationId: 'a:1aBcD' }],
])('they go nowhere by an event of %s', (_, more) => expect(room.installationIn({ ...ADDED, ...more })).toBeNull())

test('they go nowhere by any event while no tenant is set', () => {
  const open = lateRoomOf({ appId: 'app' })
  expect([open.installationIn(ADDED), open.installationIn({ ...ADDED, tenantId: undefined })]).toEqual([null, null])
})
