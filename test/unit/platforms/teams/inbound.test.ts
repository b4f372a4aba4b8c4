import { expect, test } from 'vitest'
import { CONNECTOR, isActivity, issuerOf } from '../../../../server/platforms/teams/inbound'

const token = (payload: unknown) => `Bearer e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`

test('a token names its issuer', () => {
  expect(issuerOf(token({ iss: CONNECTOR }))).toBe(CONNECTOR)
  expect(issuerOf(token({ iss: CONNECTOR }).replace('Bearer ', ''))).toBe(CONNECTOR)
})

test.each([
  'Bearer', 'Bearer a.b.c', 'x', token(null), token([]), token('iss'), token({ iss: null }), token({}),
])('%s names none', authorization => expect(issuerOf(authorization)).toBeNull())

const ACTIVITY = { serviceUrl: 'https://smba.trafficmanager.net/emea/', conversation: { id: '19:triage@thread.tacv2' } }

test('an activity says where it is from', () => expect(isActivity(JSON.stringify(ACTIVITY))).toBe(true))

test.each([
  'null', '[]', '5', '"x"', '{', '', {}, { ...ACTIVITY, serviceUrl: undefined }, { ...ACTIVITY, serviceUrl: '' },
  { ...ACTIVITY, serviceUrl: ['x'] },
  { ...ACTIVITY, conversation: null }, { ...ACTIVITY, conversation: 'x' }, { ...ACTIVITY, conversation: {} },
  { ...ACTIVITY, conversation: { id: ['x'] } },
])('%j is none', body => expect(isActivity(typeof body === 'string' ? body : JSON.stringify(body))).toBe(false))
