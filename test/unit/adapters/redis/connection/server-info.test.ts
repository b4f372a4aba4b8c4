import { expect, test } from 'vitest'
import { isTooOld } from '../../../../../server/adapters/redis/connection/server-info'

test.each([
  ['6.2.14', true], ['2.8.4', true], ['7.0.0', false], ['7.2.5', false], ['8.0.0', false], ['10.0', false],
  [undefined, false],
])('Redis %s is too old: %s', (version, expected) => expect(isTooOld({ version })).toBe(expected))
