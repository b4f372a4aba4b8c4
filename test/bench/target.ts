import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../support/ports.ts'
import { startFlags } from '../support/start-command.ts'
import { Connection, rawRequest } from './load.ts'

export const SIGNING_SECRET = 'bench-signing-secret'

/** A typical contact form. */
export const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', company: 'Analytical Engines Ltd', subject: 'Engine order',
  message: 'Please quote two analytical engines with delivery to London before the end of the year. '.repeat(3),
  newsletter: false, quantity: 2,
}
export const FORM_REQUEST = rawRequest('/api/form', 'application/json', JSON.stringify(FORM))

/** `service` is the built service; the others are the peers to compare it with. */
export const ENTRIES = {
  service: resolve(import.meta.dirname, '../../.output/server/index.mjs'),
  peer: resolve(import.meta.dirname, 'peers/chat-sdk.ts'),
  bolt: resolve(import.meta.dirname, 'peers/bolt.ts'),
  floor: resolve(import.meta.dirname, 'peers/floor.ts'),
} as const

export type TargetName = keyof typeof ENTRIES

export interface Surroundings {
  redisUrl: string
  vendorsUrl: string
}

export interface Target {
  pid: number
  port: number
  /** Time from spawning the process to its first 200 for a form, ms */
  coldStartMs: number
  /** User and system time so far, s */
  cpu: () => number
  /** Resident memory, MiB */
  rss: () => number
  /** Sends SIGTERM, then waits for the exit. */
  stop: () => Promise<void>
  /** Sends SIGKILL, then waits for the exit. For a target that would first finish its queue. */
  kill: () => Promise<void>
}

/** Returns the environment for every target; each reads only the variables that it knows. */
export function environment({ redisUrl, vendorsUrl }: Surroundings): Record<string, string> {
  return {
    NODE_ENV: 'production', HOST: '127.0.0.1',
    CHAT_BOT_TOKEN: 'xoxb-bench', CHAT_SIGNING_SECRET: SIGNING_SECRET, CHAT_CHANNEL_ID: 'C000000001',
    SLACK_API_URL: `${vendorsUrl}/api/`,
    STORE_URL: redisUrl,
    MAIL_API_KEY: 're_bench', MAIL_FROM_ADDRESS: 'forms@example.com', FORWARD_EMAIL: 'triage@example.com',
    RESEND_BASE_URL: vendorsUrl,
    FORWARD_ENDPOINT: `${vendorsUrl}/inbox`,
    NUXT_PUBLIC_SITE_URL: 'https://forms.example.com',
    // The limit is counted but never reached. Cards are not limited to Slack's one a second, because the peers have no
    // such limit.
    FORM_RATE_LIMIT: '100000000', FORM_RATE_LIMIT_MB: '100000000', CARD_INTERVAL_MS: '0',
  }
}

export const DISCORD = (vendorsUrl: string) => ({
  PLATFORM2_BOT_TOKEN: 'MTA.bench-bot-token-of-discord', PLATFORM2_PUBLIC_KEY: 'a'.repeat(64),
  PLATFORM2_APPLICATION_ID: '1400000000000000002',
  DISCORD_CHANNEL_ID: '1400000000000000000', DISCORD_GUILD_ID: '1400000000000000003',
  DISCORD_API_URL: `${vendorsUrl}/discord/v10`,
})

/**
 * Returns the wait until a target has loaded its modules, ms: the service loads them after a second without
 * requests.
 */
export const settledMs = (name: TargetName) => name === 'service' ? 3500 : 500

/** Starts the service with its sandbox, as a new user would. */
export const startSandbox = (redisUrl: string, env: Record<string, string> = {}): Promise<Target> => (
  startTarget('service', {
    NODE_ENV: 'development', HOST: '127.0.0.1', STORE_URL: redisUrl, SANDBOX: '1', FORM_RATE_LIMIT: '0',
    FORM_RATE_LIMIT_MB: '0', SPAM_HOLD: '1h', ...env,
  })
)

/** Starts a target; resolves when it has accepted its first form. */
export async function startTarget(name: TargetName, env: Record<string, string>): Promise<Target> {
  const port = await freePort()
  const startedAt = performance.now()
  const flags = name === 'service' ? startFlags() : []
  const child = spawn(process.execPath, [...flags, ENTRIES[name]], {
    stdio: ['ignore', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
  })
  const pid = child.pid!
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  void exited.then(() => process.off('exit', kill))
  await Promise.race([firstOk(port), exited.then(([code]) => { throw new Error(`${name} left with code ${code}`) })])
  return {
    pid, port,
    coldStartMs: performance.now() - startedAt,
    cpu: () => cpuSeconds(pid),
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    stop: async () => {
      child.kill('SIGTERM')
      const late = setTimeout(10_000, undefined, { ref: false }).then(kill)
      await Promise.race([exited, late])
      await exited
    },
    kill: async () => {
      kill()
      await exited
    },
  }
}

async function firstOk(port: number): Promise<void> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline;) {
    const connection = new Connection(port)
    const status = await connection.send(FORM_REQUEST).then(answer => answer.status, () => 0)
    connection.close()
    if (status === 200) return
    await setTimeout(2)
  }
  throw new Error('The target did not take a form in 30 s.')
}

/** Returns the CPU time of a process, s; the kernel counts hundredths of a second. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
