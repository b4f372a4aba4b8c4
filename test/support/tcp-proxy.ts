import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './ports'

/** A command on its way to Redis */
export interface Command {
  /** In capitals, e.g. `ZREM` */
  name: string
  args: string[]
  /** Hash of the script that EVAL or EVALSHA runs: its `sha` in server/adapters/redis/store/scripts.ts. */
  sha?: string
}

interface Break {
  /** `before` the command reaches Redis, or `after` Redis ran it and before the answer leaves. */
  phase: 'before' | 'after'
  /** Called at that moment; the connection waits until it is done. */
  act: () => unknown
  /** True if traffic continues afterwards; otherwise the connection is cut. */
  goesOn?: boolean
}

export interface TcpProxy {
  url: string
  /** Sets the port of Redis; connections wait for it. Calling it again affects new connections only. */
  use(port: number): void
  /** Returns the break for a command; undefined passes it on. A failed command never triggers an `after` break. */
  fault: (command: Command) => Break | undefined
  /** Changes each answer on its way back. */
  rewrite: (command: Command, answer: Buffer) => Buffer
  /** Delay of each answer, ms */
  answerDelayMs: number
  /** Cuts connections and refuses new ones, as if Redis were down. */
  refuse(): Promise<void>
  accept(): Promise<void>
  /** Keeps connections open but passes nothing, as if a host had vanished. */
  freeze(): void
  thaw(): void
  /** Cuts all connections; accepts new ones at once. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy between the service and Redis that breaks the connection at a chosen command. */
export async function startTcpProxy(): Promise<TcpProxy> {
  const links = new Set<Link>()
  let upstream = Promise.withResolvers<number>()
  let isChosen = false
  let gate = Promise.withResolvers<undefined>()
  gate.resolve(undefined)
  const state = {
    open: () => gate.promise, fault: (command: Command) => proxy.fault(command),
    rewrite: (command: Command, answer: Buffer) => proxy.rewrite(command, answer), delayMs: () => proxy.answerDelayMs,
  }
  const server = createServer((client) => {
    client.on('error', () => {})
    void upstream.promise.then((port) => {
      if (client.destroyed) return
      const link = new Link(client, connect(port, '127.0.0.1'), state)
      links.add(link)
      client.once('close', () => links.delete(link))
    })
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  // Keep the port while connections are refused: no other program takes it.
  const port = await freePort()
  await listen(port)
  const cut = () => links.forEach(link => link.cut())
  const refuse = async () => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    cut()
    await closed
  }
  const proxy: TcpProxy = {
    url: `redis://127.0.0.1:${port}`,
    use: (port) => {
      if (isChosen) upstream = Promise.withResolvers<number>()
      isChosen = true
      upstream.resolve(port)
    },
    fault: () => undefined,
    rewrite: (_command, answer) => answer,
    answerDelayMs: 0,
    refuse, cut,
    accept: () => listen(port),
    freeze: () => { gate = Promise.withResolvers<undefined>() },
    thaw: () => gate.resolve(undefined),
    close: async () => {
      gate.resolve(undefined)
      await refuse()
    },
  }
  return proxy
}

interface State {
  open: () => Promise<undefined>
  fault: (command: Command) => Break | undefined
  rewrite: (command: Command, answer: Buffer) => Buffer
  delayMs: () => number
}

/** One connection. Commands and answers pass one at a time. */
class Link {
  /** Commands that Redis has not answered yet, in order */
  private readonly outstanding: { command: Command, found: Break | undefined }[] = []
  private answers: Promise<void> = Promise.resolve()

  constructor(private readonly client: Socket, private readonly redis: Socket, private readonly state: State) {
    for (const socket of [client, redis]) socket.setNoDelay(true).on('error', () => {}).once('close', () => this.cut())
    void pump(client, frame => this.command(frame)).catch(() => this.cut())
    void pump(redis, frame => this.answer(frame)).catch(() => this.cut())
  }

  cut(): void {
    this.client.destroy()
    this.redis.destroy()
  }

  private async command(frame: Buffer): Promise<void> {
    await this.state.open()
    const command = parse(frame)
    const found = this.state.fault(command)
    if (found?.phase === 'before' && !await this.broken(found)) return
    this.outstanding.push({ command, found: found?.phase === 'after' ? found : undefined })
    this.redis.write(frame)
  }

  /** Sends an answer after the delay. Each answer is delayed by the same time, even if several arrive at once. */
  private async answer(frame: Buffer): Promise<void> {
    const { command, found } = this.outstanding.shift() ?? {}
    const due = Date.now() + this.state.delayMs()
    const copy = command ? this.state.rewrite(command, Buffer.from(frame)) : Buffer.from(frame)
    this.answers = this.answers.then(async () => {
      await new Promise(resolve => setTimeout(resolve, Math.max(due - Date.now(), 0)))
      await this.state.open()
      const failed = copy[0] === '-'.charCodeAt(0)
      if (found && !failed && !await this.broken(found)) return
      this.client.write(copy)
    }).catch(() => this.cut())
  }

  private async broken({ act, goesOn }: Break): Promise<boolean> {
    await act()
    if (!goesOn) this.cut()
    return goesOn === true
  }
}

async function pump(from: Socket, each: (frame: Buffer) => Promise<void>): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of from) {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (let end = frameEnd(rest, 0); end > 0; end = frameEnd(rest, 0)) {
      await each(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

/**
 * Returns the end of the RESP value that starts at `at`, or -1 if it is incomplete
 * (https://redis.io/docs/latest/develop/reference/protocol-spec).
 */
function frameEnd(bytes: Buffer, at: number): number {
  const line = bytes.indexOf('\r\n', at)
  if (line < 0) return -1
  const type = String.fromCharCode(bytes[at]!)
  const size = Number(bytes.toString('latin1', at + 1, line))
  let end = line + 2
  if ('$=!'.includes(type)) {
    if (size >= 0) end += size + 2
    return end <= bytes.length ? end : -1
  }
  const parts = '*~>'.includes(type) ? size : type === '%' ? 2 * size : 0
  for (let part = 0; part < parts && end > 0; part++) end = frameEnd(bytes, end)
  return end
}

function parse(frame: Buffer): Command {
  const parts: string[] = []
  for (let at = frame.indexOf('\r\n') + 2; at < frame.length;) {
    const end = frameEnd(frame, at)
    parts.push(frame.toString('utf8', frame.indexOf('\r\n', at) + 2, end - 2))
    at = end
  }
  const [name = '', ...args] = parts
  const command = name.toUpperCase()
  if (command === 'EVALSHA') return { name: command, args, sha: args[0] }
  if (command === 'EVAL') return { name: command, args, sha: createHash('sha1').update(args[0] ?? '').digest('hex') }
  return { name: command, args }
}
