import { createServer, type IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { guildCreate, hears, ready, visibleTo } from './events'
import type { Json } from './types'
import type { World } from './world'

export interface Latencies {
  /** Time from the TCP connection to HELLO, ms */
  connect?: number
  /** Time from IDENTIFY to READY, ms */
  identify?: number
  /** Time from RESUME to the first replayed event, ms */
  resume?: number
}

export interface Gateway {
  url: string
  /** URL sent in READY for resuming. Set it to a closed port to make the resume host unreachable. */
  resumeUrl: string
  identifies: number
  resumes: number
  /** Number of sessions with an attached socket */
  live: () => number
  /** Heartbeat interval sent in HELLO to sockets that open from now on, ms */
  heartbeatIntervalMs: number
  /** If false, a client that asks for message content is closed with 4014. */
  privileged: boolean
  /** If true, new sockets get 503, as in an outage. */
  refuse: boolean
  /** If true, sockets that are open now get neither acks nor events. Setting it to false sends them late. */
  freezeAcks: boolean
  /** Resets every TCP connection; sessions survive. */
  dropAll: () => void
  /** Sends op 7 (reconnect). */
  reconnect: () => void
  /** Sends op 9; unless `resumable`, the sessions are lost. */
  invalidate: (resumable: boolean) => void
  closeWith: (code: number) => void
}

interface Session {
  id: string
  seq: number
  intents: number
  /** Events that a RESUME replays. A heartbeat acknowledges all events up to its sequence, which drops them here. */
  replay: { s: number, text: string }[]
  acknowledged: number
  connection?: Connection
}

interface Connection {
  ws: WebSocket
  socket: Socket
  session?: Session
  /** Messages held back while the connection is frozen */
  withheld?: string[]
  closedByUs?: boolean
}

const TRUE_CLIENT_END = [1000, 1001]
/** Close codes that end the session: discord-api-docs, developers/topics/opcodes-and-status-codes.mdx */
const SESSION_OVER = [4003, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014]

/** Gateway v10: JSON, no compression. */
export async function startGateway(
  world: World, token: string, latency: Latencies,
): Promise<{ gateway: Gateway, dispatch: (type: string, data: Json) => void, close: () => Promise<void> }> {
  const http = createServer((_, response) => response.writeHead(404).end())
  const server = new WebSocketServer({ server: http, verifyClient: (_, done) => done(!gateway.refuse, 503) })
  const sessions = new Map<string, Session>()
  const connections = new Set<Connection>()
  const timers = new Set<NodeJS.Timeout>()

  const gateway: Gateway = {
    url: '', resumeUrl: '', identifies: 0, resumes: 0, heartbeatIntervalMs: 41_250,
    privileged: true, refuse: false,
    live: () => [...connections].filter(({ session }) => session).length,
    get freezeAcks() {
      return [...connections].some(({ withheld }) => withheld)
    },
    set freezeAcks(frozen) {
      for (const connection of connections) {
        const late = connection.withheld
        connection.withheld = frozen ? late ?? [] : undefined
        if (!frozen) for (const text of late ?? []) connection.ws.send(text)
      }
    },
    dropAll: () => {
      for (const connection of connections) {
        connection.socket.resetAndDestroy()
        detach(connection)
      }
    },
    reconnect: () => each(connection => say(connection, { op: 7, d: null })),
    invalidate: resumable => each(connection => invalidate(connection, resumable)),
    closeWith: code => each(connection => end(connection, code)),
  }

  function each(act: (connection: Connection) => void): void {
    for (const connection of [...connections]) if (connection.session) act(connection)
  }

  function later(ms: number | undefined, act: () => void): void {
    if (!ms) return act()
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, ms)
    timers.add(timer)
  }

  function say(connection: Connection, packet: Json): void {
    const text = JSON.stringify({ s: null, t: null, ...packet })
    if (connection.withheld) connection.withheld.push(text)
    else if (connection.ws.readyState === connection.ws.OPEN) connection.ws.send(text)
  }

  function end(connection: Connection, code: number): void {
    connection.closedByUs = true
    if (SESSION_OVER.includes(code) && connection.session) sessions.delete(connection.session.id)
    connection.ws.close(code)
    detach(connection)
  }

  function detach(connection: Connection): void {
    if (connection.session?.connection === connection) connection.session.connection = undefined
    connection.session = undefined
  }

  function invalidate(connection: Connection, resumable: boolean): void {
    if (!resumable && connection.session) sessions.delete(connection.session.id)
    detach(connection)
    say(connection, { op: 9, d: resumable })
  }

  function dispatchTo(session: Session, type: string, data: Json): void {
    const packet = { op: 0, s: ++session.seq, t: type, d: data }
    session.replay.push({ s: packet.s, text: JSON.stringify(packet) })
    if (session.connection) say(session.connection, packet)
  }

  function identify(connection: Connection, d: Json): void {
    if (d?.token !== token) return end(connection, 4004)
    if (!Number.isInteger(d.intents) || d.intents < 0) return end(connection, 4013)
    if (!gateway.privileged && hears(d.intents, 'MESSAGE_CONTENT')) return end(connection, 4014)
    gateway.identifies++
    const session: Session = {
      id: randomBytes(16).toString('hex'), seq: 0, intents: d.intents, replay: [], acknowledged: 0,
    }
    sessions.set(session.id, session)
    attach(connection, session)
    dispatchTo(session, 'READY', ready(world, session.id, gateway.resumeUrl, d.shard))
    if (hears(session.intents, 'GUILDS')) dispatchTo(session, 'GUILD_CREATE', guildCreate(world))
  }

  function resume(connection: Connection, d: Json): void {
    if (d?.token !== token) return end(connection, 4004)
    const session = sessions.get(d.session_id)
    // Events that a heartbeat acknowledged can no longer be replayed.
    if (!session || d.seq < session.acknowledged) return invalidate(connection, false)
    if (!Number.isInteger(d.seq) || d.seq > session.seq) return end(connection, 4007)
    gateway.resumes++
    // Discord does not document what the session's previous socket receives after a RESUME. Here it gets only acks.
    if (session.connection) session.connection.session = undefined
    attach(connection, session)
    for (const { s, text } of session.replay) if (s > d.seq) say(connection, JSON.parse(text) as Json)
    dispatchTo(session, 'RESUMED', {})
  }

  function attach(connection: Connection, session: Session): void {
    connection.session = session
    session.connection = connection
  }

  function heartbeat(connection: Connection, seq: number | null): void {
    const { session } = connection
    if (session && seq !== null && seq > session.acknowledged) {
      session.acknowledged = seq
      session.replay = session.replay.filter(({ s }) => s > seq)
    }
    say(connection, { op: 11 })
  }

  function receive(connection: Connection, text: string): void {
    let packet: Json
    try {
      packet = JSON.parse(text) as Json
    }
    catch {
      return end(connection, 4002)
    }
    const { op, d } = packet
    if (op === 1) return heartbeat(connection, d)
    if (op === 2 || op === 6) {
      if (connection.session) return end(connection, 4005)
      const act = op === 2 ? identify : resume
      return later(op === 2 ? latency.identify : latency.resume, () => {
        if (connection.ws.readyState === connection.ws.OPEN) act(connection, d)
      })
    }
    // Presence, voice and member requests are accepted and ignored.
    if ([3, 4, 8, 31].includes(op)) return connection.session ? undefined : end(connection, 4003)
    end(connection, 4001)
  }

  server.on('connection', (ws: WebSocket, { socket }: IncomingMessage) => {
    const connection: Connection = { ws, socket }
    connections.add(connection)
    ws.on('message', data => receive(connection, String(data)))
    ws.on('error', () => {})
    ws.on('close', (code) => {
      if (!connection.closedByUs && TRUE_CLIENT_END.includes(code) && connection.session) {
        sessions.delete(connection.session.id)
      }
      detach(connection)
      connections.delete(connection)
    })
    later(latency.connect, () => say(connection, { op: 10, d: { heartbeat_interval: gateway.heartbeatIntervalMs } }))
  })

  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  gateway.url = gateway.resumeUrl = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    gateway,
    dispatch: (type, data) => {
      for (const session of sessions.values()) if (hears(session.intents, type, data)) {
        dispatchTo(session, type, visibleTo(session.intents, world.bot.id, data, type))
      }
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer)
      for (const { ws } of connections) ws.terminate()
      server.close()
      await new Promise(resolve => http.close(resolve))
    },
  }
}
