import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { freePort } from './ports.ts'

export interface RedisServer {
  url: string
  port: number
  /** Kills Redis: connections close at once, its data is lost. */
  stop(): Promise<void>
  /** Freezes Redis: connections stay up and nothing answers, as if the host had vanished. */
  pause(): void
  resume(): void
}

/** Time limit for hangs, ms: a busy machine is slow. */
const READY_WITHIN_MS = 60_000

/** Flags that keep replicas from writing their primary's data to disk, where the next Redis would load it */
const NO_FILES = ['--repl-diskless-load', 'swapdb', '--rdb-del-sync-files', 'yes']

/**
 * Starts a private Redis that writes nothing to disk.
 *
 * @param port a fixed one, to come back after `stop`; a free one by default
 * @param tries number of free ports to try: another program may take a port first
 */
export async function startRedis(port?: number, tries = 3): Promise<RedisServer> {
  const chosen = port ?? await freePort()
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...NO_FILES]
  const child = spawn('redis-server', args, { cwd: tmpdir(), stdio: 'ignore' })
  // Vitest ends its workers by a signal, without an 'exit' event, which would leave Redis running after a failed test.
  // The guard process stops Redis when its own input closes, which happens whenever this process ends.
  const guard = spawn(
    '/bin/sh', ['-c', `cat > /dev/null; kill -9 ${child.pid}`], { stdio: ['pipe', 'ignore', 'ignore'] },
  )
  const exited = new Promise<string>((resolve) => {
    child.once(
      'error', error => resolve(`cannot run redis-server (${error.message}): install Redis or put it on the PATH`),
    )
    child.once('exit', code => resolve(`redis-server left with code ${code}; is port ${chosen} taken?`))
  })
  const failed = child.pid ? await Promise.race([untilReady(chosen, child, child.pid), exited]) : await exited
  if (failed) {
    guard.kill('SIGKILL')
    if (child.pid && !port && tries > 1) return startRedis(undefined, tries - 1)
    throw new Error(failed)
  }
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    async stop() {
      guard.kill('SIGKILL')
      child.kill('SIGKILL')
      await exited
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

async function untilReady(port: number, child: ChildProcess, pid: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (child.exitCode === null && !await answers(port, pid)) {
    if (Date.now() > deadline) throw new Error(`redis-server did not answer within ${READY_WITHIN_MS} ms`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** True if the process that we started answers, not another Redis on the same port. */
function answers(port: number, pid: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('INFO server\r\n'))
    socket.once('data', (data) => {
      resolve(data.toString().includes(`process_id:${pid}\r\n`))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
