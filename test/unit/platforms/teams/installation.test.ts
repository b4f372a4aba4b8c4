import { expect, test } from 'vitest'
import { lateRoomOf } from '../../../../server/platforms/teams/definition'

const TENANT = 'a1b2c3d4-0000-4000-8000-00000000c0de'
const CHANNEL = '19:triage@thread.tacv2'
const ADDITION = {
  conversationId: CHANNEL, tenantId: TENANT, raw: { channelData: { team: { id: '19:team@thread.tacv2' } } },
}
const room = lateRoomOf({ appId: 'app', tenantId: TENANT })

test('cards go to the channel of a team of our tenant in which the app is added, however its id is written', () => {
  const installation = { channel: CHANNEL, within: '19:team@thread.tacv2' }
  expect(room.installationIn(ADDITION)).toEqual(installation)
  expect(room.installationIn({ ...ADDITION, tenantId: TENANT.toUpperCase() })).toEqual(installation)
  expect(room.installationIn({ ...ADDITION, conversationId: `${CHANNEL};messageid=1` })).toEqual(installation)
})

test.each<[string, object]>([
  ['another tenant', { tenantId: 'b1c2d3e4-0000-4000-8000-00000000e711' }], ['no tenant', { tenantId: undefined }],
  ['no team', { raw: {} }], ['no team, as a chat says it', { raw: { channelData: { team: null } } }],
  ['a team without an id', { raw: { channelData: { team: {} } } }],
  ['a team whose id is none', { raw: { channelData: { team: { id: ['19:team'] } } } }],
  ['what is no channel', { conversationId: 'a:1aBcD' }],
])('they go nowhere by an event of %s', (_, changes) => {
  expect(room.installationIn({ ...ADDITION, ...changes })).toBeNull()
})

test('they go nowhere by any event while no tenant is set', () => {
  const openRoom = lateRoomOf({ appId: 'app' })
  const events = [ADDITION, { ...ADDITION, tenantId: undefined }]
  expect(events.map(event => openRoom.installationIn(event))).toEqual([null, null])
})
