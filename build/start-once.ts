import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Built { options: { preset: string, output: { serverDir: string } } }

/** A start takes a second; one that hangs must not hold up the build, ms. */
const HANGS_MS = 60_000

/** Starts what was built and ends it, so that the first real start finds what V8 compiled: see `checked-node.ts`. */
export async function startOnce({ options: { preset, output } }: Built): Promise<void> {
  if (preset !== 'node-server') return
  // Of its own: whoever shares a folder of files erases those of forms that only the other knows.
  const dir = await mkdtemp(join(tmpdir(), 'form-triage-build-'))
  const server = spawn(process.execPath, [`${output.serverDir}/index.mjs`], {
    stdio: ['ignore', 'pipe', 'inherit'], timeout: HANGS_MS,
    env: { NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dir },
  })
  const left = once(server, 'exit')
  // Whatever it prints comes with its end.
  let printed = ''
  for await (const text of server.stdout) if ((printed += text).includes('Listening on')) server.kill()
  await left
  await rm(dir, { recursive: true })
  if (!printed.includes('Listening on')) throw new Error('What was built does not start.')
}
