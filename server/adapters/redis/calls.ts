import { once } from 'node:events'
import { StoreFull } from '../../ports/store'
import { bounded, onRefusal, type RedisClient } from './client'
import { run, type NamedScript, type Script } from './lua'
import { isFull } from './refusals'

/** The ports promise less than 2 s. */
export const CALL_TIMEOUT_MS = 1_500

/** Longer than a connection to a healthy Redis takes, and short enough for a few calls in a row to stay below 2 s. */
const RECONNECT_PATIENCE_MS = 500

/** How ports call Redis: bounded in time, and the first calls of a cold start wait for the connection. */
export interface Calls {
  /** Settles with the first attempt to connect; never rejects. */
  readonly started: Promise<unknown>
  /** Rejects when Redis is away or silent. */
  call<T>(command: () => Promise<T>): Promise<T>
  /** The same for a script. */
  run(script: Script, keys: string[], args: readonly (string | number)[]): Promise<unknown>
  /** @param further what follows those that have names */
  runNamed<Key extends string, Arg extends string>(
    script: NamedScript<Key, Arg>, keys: Record<Key, string>, args: Record<Arg, string | number>,
    further?: { keys: readonly string[], args: readonly (string | number)[] },
  ): Promise<unknown>
}

const known = new WeakMap<RedisClient, Calls>()

/** The calls of a client: all ports on it wait for the same connection. */
export function createCalls(client: RedisClient): Calls {
  const calls = known.get(client) ?? startCalls(client)
  known.set(client, calls)
  return calls
}

function startCalls(client: RedisClient): Calls {
  // Commands reject while the client is not connected; the first request of a cold start waits for the first attempt.
  const started: Promise<unknown> = client.isReady
    ? Promise.resolve()
    : once(client, 'ready').catch(() => { /* The command says why. */ })

  // Serverless hosts freeze a process between requests. The request that wakes it finds a socket that timed out long
  // ago and a client that is about to replace it: that takes milliseconds, and a click or form would be lost without
  // them.
  let returning: Promise<unknown> | undefined
  const reconnected = () => returning ??= bounded(once(client, 'ready'), RECONNECT_PATIENCE_MS)
    .catch(() => { /* The command says why. */ }).finally(() => { returning = undefined })
  const ready = async () => {
    if (!client.isReady) await started
    if (!client.isReady) await reconnected()
  }
  const call: Calls['call'] = (command) => {
    const answer = client.isReady ? command() : ready().then(command)
    return bounded(answer, CALL_TIMEOUT_MS).catch((error: unknown) => {
      onRefusal(client, error)
      throw isFull(error) ? new StoreFull(error.message, { cause: error }) : error
    })
  }
  const runScript: Calls['run'] = (script, keys, args) => call(() => run(client, script, keys, args.map(String)))
  return {
    started, call, run: runScript,
    runNamed: (script, keys, args, further = { keys: [], args: [] }) => runScript(
      script,
      [...script.keys.map(key => keys[key]), ...further.keys],
      [...script.args.map(arg => args[arg]), ...further.args],
    ),
  }
}
