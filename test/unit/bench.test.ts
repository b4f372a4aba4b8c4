import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('loads in node itself, which wants every import with its extension', async () => {
  const asked = promisify(execFile)(process.execPath, ['test/bench/main.ts', '--nothing'])
  await expect(asked).rejects.toThrow('Unknown option \'--nothing\'')
})
