import { expect, test } from 'vitest'
import { targetPath } from '../../../server/http/request'

test.each([
  ['/setup?x=1', '/setup?x=1'], ['//x/setup', '//x/setup'], ['/http://x/y', '/http://x/y'],
  ['http://x/api/form?y', '/api/form?y'], ['HTTPS://[::1]:80/a', '/a'], ['http://x', '/'], ['http://x?y', '/?y'],
  ['*', '/*'], ['', '/'],
])('the path of %j is %j', (target, path) => expect(targetPath(target)).toBe(path))
