import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface ServerBuild { options: { preset: string, output: { serverDir: string } } }

/** Time limit of the start, ms: a start normally takes a second; one that hangs must not block the build */
const START_TIMEOUT_MS = 60_000

/** Starts and stops the built server, so that the first real start finds V8's compiled code: `checked-node.ts`. */
export async function startOnce({ options: { preset, output } }: ServerBuild): Promise<void> {
  if (preset !== 'node-server') return
  // Use a separate folder: servers that share a folder delete the files of each other's forms.
  const dir = await mkdtemp(join(tmpdir(), 'form-triage-build-'))
  const server = spawn(process.execPath, [`${output.serverDir}/index.mjs`], {
    stdio: ['ignore', 'pipe', 'inherit'], timeout: START_TIMEOUT_MS,
    env: { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dir },
  })
  const exit = once(server, 'exit')
  // The output ends when the process exits.
  let stdoutText = ''
  for await (const text of server.stdout) if ((stdoutText += text).includes('Listening on')) server.kill()
  await exit
  await rm(dir, { recursive: true })
  if (!stdoutText.includes('Listening on')) throw new Error('What was built does not start.')
}
