import { describe, expect, test } from 'vitest'
import { parseCommand, withoutAddress } from '../../../../server/domain/conversation/commands'

describe('a command', () => {
  test.each([
    ['help', 'help', ''], ['HELP', 'help', ''], ['/help', 'help', ''], ['help!', 'help', ''],
    ['  Pending?  ', 'pending', ''], ['status.', 'status', ''],
    ['@form-bot pending', 'pending', ''], ['<@U012ABCDEF> status', 'status', ''], ['<@!1234567890>, help', 'help', ''],
    ['<@U1|form-bot>: help', 'help', ''],
    ['@form-bot <@U1> help', 'help', ''], ['help @form-bot', 'help', ''], ['help <@1234567890>', 'help', ''],
    ['show 0b1f2c3d', 'show', '0b1f2c3d'], ['Show  Ada Lovelace ', 'show', 'Ada Lovelace'], ['show', 'show', ''],
    ['show\ntwo\nlines', 'show', 'two\nlines'],
    ['show ada@example.com', 'show', 'ada@example.com'],
    ['show @acme', 'show', '@acme'], ['/show  @acme.example ', 'show', '@acme.example'],
    ['@form-bot show @acme', 'show', '@acme'], ['<@U1> show @acme', 'show', '@acme'],
    ['show ada @form-bot', 'show', 'ada'], ['show <@U1>', 'show', ''], ['@form-bot show', 'show', ''],
  ])('is read from %j', (text, name, argument) => expect(parseCommand(text)).toEqual({ name, argument }))

  test.each([
    '', '   ', '@form-bot', 'helpless', 'help me please', 'status quo', 'what is pending', '!!!', 'показать', '/',
  ])('is not read from %j', text => expect(parseCommand(text)).toEqual({ name: null, argument: '' }))
})

test('an address in the middle of a sentence stays', () => {
  expect(withoutAddress('@form-bot ask @ada about it')).toBe('ask @ada about it')
})
