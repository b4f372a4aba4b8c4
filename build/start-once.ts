import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Built { options: { preset: string, output: { serverDir: string } } }

/** Time limit of the start, ms: it takes a second normally, and must not block the build if it hangs */
const HANGS_MS = 60_000

/** Starts and stops the built server, so that the first real start finds V8's compiled code: `checked-node.ts`. */
export async function startOnce({ options: { preset, output } }: Built): Promise<void> {
  if (preset !== 'node-server') return
  // Use a folder of its own: two servers that share a folder of files erase files of each other's forms.
  const dir = await mkdtemp(join(tmpdir(), 'form-triage-build-'))
  const server = spawn(process.execPath, [`${output.serverDir}/index.mjs`], {
    stdio: ['ignore', 'pipe', 'inherit'], timeout: HANGS_MS,
    env: { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dir },
  })
  const left = once(server, 'exit')
  // Its output ends when the process exits.
  let printed = ''
  for await (const text of server.stdout) if ((printed += text).includes('Listening on')) server.kill()
  await left
  await rm(dir, { recursive: true })
  if (!printed.includes('Listening on')) throw new Error('What was built does not start.')
}
