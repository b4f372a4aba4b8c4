import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { freePort } from './ports'
import { startFlags } from './start-command'

const ENTRY = resolve(import.meta.dirname, '../../.output/server/index.mjs')

export interface Server {
  url: string
  pid: number
  /** Everything that it printed */
  output: () => string
  /** Resolves when no background work is left. */
  drain: () => Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop: () => Promise<number | null>
  /** Sends SIGKILL. */
  kill: () => Promise<void>
}

/**
 * Starts the built server with only this environment and waits until it listens. The port is free unless the
 * environment names one.
 */
export async function startServer(env: Record<string, string>): Promise<Server> {
  const port = Number(env.PORT) || await freePort()
  const run = spawnServer({ PORT: String(port), HOST: '127.0.0.1', ...env })
  const { child, output } = run
  const left = once(child, 'close').then(([code]) => ({ code: code as number | null }))
  const failed = await Promise.race([listening(run), left])
  // Another program took the port first.
  if (failed && !env.PORT && output().includes('EADDRINUSE')) return startServer(env)
  if (failed) throw new Error(`The server left with code ${failed.code}:\n${output()}`)
  let drained: Promise<unknown> = Promise.resolve()
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    output,
    // Ask one at a time: answers carry no id, so an outdated answer could not be told apart. Output printed before the
    // answer uses another pipe, and arrives at most one event-loop turn later.
    drain: async () => {
      const answer = drained.then(() => {
        const heard = once(child, 'message')
        child.send('drain')
        return heard
      }).then(() => nextTurn())
      drained = answer
      await answer
    },
    stop: () => end(run, 'SIGTERM'),
    kill: async () => void await end(run, 'SIGKILL'),
  }
}

/** Returns the exit code and output of a start that is expected to fail. */
export async function runToExit(env: Record<string, string>): Promise<{ code: number | null, output: string }> {
  const run = spawnServer({ PORT: String(await freePort()), HOST: '127.0.0.1', ...env })
  const [code] = await once(run.child, 'close') as [number | null]
  return { code, output: run.output() }
}

/**
 * Variables that the server inherits. It needs the same time zone and, if a preloaded library shifts the clock, the
 * same clock as the test run.
 */
const PASSED_ON = ['PATH', 'TZ', 'LD_PRELOAD', 'FAKETIME', 'NODE_COMPILE_CACHE']

/** The newest runs of this worker, oldest first */
const runs: { pid?: number, output: () => string }[] = []

/** Returns the last output of the newest servers, for the log of CI. */
export function lastWords(): string {
  return runs.map(({ pid, output }) => (
    [`The last lines of server ${pid}:`, ...output().trimEnd().split('\n').slice(-12)].join('\n')
  )).join('\n')
}

function spawnServer(env: Record<string, string>) {
  const child = spawn(process.execPath, [...startFlags(), ENTRY], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: {
    ...Object.fromEntries(PASSED_ON.flatMap(name => process.env[name] ? [[name, process.env[name]]] : [])), ...env,
  } })
  let printed = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on(
    'data', (text: string) => { printed += text },
  )
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const run = { child, pid: child.pid, output: () => printed }
  runs.push(run)
  runs.splice(0, runs.length - 3)
  return run
}

type Run = ReturnType<typeof spawnServer>

async function listening({ child, output }: Run): Promise<void> {
  while (!output().includes('Listening on')) await once(child.stdout!, 'data')
}

async function end({ child }: Run, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  const [code] = await exited as [number | null]
  return code
}
