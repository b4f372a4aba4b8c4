import { expect, test } from 'vitest'
import { mentionedApp, mentionedApps, mentionedPeople, modernEvent } from '../../../../server/platforms/gchat/events'

const [ADA, GRACE] = ['users/1', 'users/2'].map(name => ({ name, type: 'HUMAN' }))
const [OUR_APP, OTHER_APP] = ['users/666', 'users/667'].map(name => ({ name, type: 'BOT' }))
const SPACE = { name: 'spaces/AAAAtriage', type: 'ROOM', spaceType: 'SPACE' }

/** Message that mentions these users. */
const createPayload = (users: readonly unknown[], space: object = SPACE) => ({
  space, message: { annotations: users.map(user => ({ type: 'USER_MENTION', userMention: { user } })) },
})

test.each<[string, unknown, string | null]>([
  ['the only one', createPayload([OUR_APP]), 'users/666'],
  ['the only one beside people', createPayload([ADA, OUR_APP, GRACE]), 'users/666'],
  ['one that is mentioned twice', createPayload([OUR_APP, OUR_APP]), 'users/666'],
  ['none of several, of which it may be any', createPayload([OUR_APP, OTHER_APP]), null],
  ['nobody where only people are mentioned', createPayload([ADA]), null],
  ['nobody in a direct message, where others may be mentioned', createPayload([OTHER_APP], { type: 'DM' }), null],
  ['nobody in one as newer spaces call it', createPayload([OTHER_APP], { spaceType: 'DIRECT_MESSAGE' }), null],
  ['nobody by a mention without a name', createPayload([{ type: 'BOT' }, { type: 'BOT', name: null }, null]), null],
  ['nobody by another annotation', { space: SPACE, message: { annotations: [
    { type: 'SLASH_COMMAND', userMention: { user: OUR_APP } },
  ] } }, null],
  ['nobody by what is no list', { space: SPACE, message: { annotations: 'x' } }, null],
  ['nobody without a message', null, null],
])('the app that a message is taken to mention is %s', (_, payload, app) => expect(mentionedApp(payload)).toBe(app))

test('apps and people whom a message mentions are told apart, people in their order', () => {
  const payload = createPayload([GRACE, OUR_APP, ADA, OTHER_APP, OUR_APP])
  expect(mentionedApps(payload)).toEqual(['users/666', 'users/667'])
  expect(mentionedPeople(payload)).toEqual(['users/2', 'users/1'])
})

test('an event of a Chat app is read like an add-on\'s', () => {
  const message = { name: 'spaces/A/messages/1', createTime: '2026-11-21T12:00:00Z' }
  const event = { type: 'MESSAGE', user: { name: 'users/1' }, space: { name: 'spaces/A' }, message }
  expect(JSON.parse(modernEvent(JSON.stringify(event)))).toEqual({
    chat: { user: event.user, messagePayload: { user: event.user, space: event.space, message } },
  })
})

test.each([
  'not json', 'null', '[]', '{}', '{"type":"constructor"}', '{"message":{"data":"x"},"subscription":"s"}',
])('an event that is %s stays as it is', body => expect(modernEvent(body)).toBe(body))
