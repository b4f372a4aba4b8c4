import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Mail {
  /** Envelope recipients */
  to: string[]
  /** The message as it came, headers and body */
  raw: string
}

export interface SmtpDouble {
  port: number
  /** Emails that were accepted, oldest first */
  mails: Mail[]
  /** Number of connections so far, and of those that are open */
  connections: { count: number, open: number }
  /** What happens next; nothing by default */
  fault: Fault
  close: () => Promise<void>
}

export interface Fault {
  /** Answer to a recipient; undefined accepts it. */
  recipient?: (address: string) => [code: number, text: string] | undefined
  /** Answer to the email; `die` accepts it and closes the connection instead of answering. */
  data?: () => [code: number, text: string] | 'die' | Promise<void> | undefined
}

/** Starts a real SMTP server on loopback. By default it offers neither TLS nor a sign-in. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<SmtpDouble> {
  const sockets = new Set<{ destroy: () => void }>()
  const refusal = ([code, text]: [number, string]) => Object.assign(new Error(text), { responseCode: code })
  const double: SmtpDouble = {
    port: 0, mails: [], connections: { count: 0, open: 0 }, fault: {}, close: () => new Promise((resolve) => {
      server.close(resolve)
      for (const socket of sockets) socket.destroy()
    }),
  }
  const server = new SMTPServer({
    authOptional: true, disabledCommands: options.key ? [] : ['STARTTLS'], disableReverseLookup: true, logger: false,
    ...options,
    onConnect(_, done) {
      double.connections.count++
      double.connections.open++
      done()
    },
    onClose() {
      double.connections.open--
    },
    onRcptTo({ address }, _, done) {
      const answer = double.fault.recipient?.(address)
      done(answer ? refusal(answer) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => void (async () => {
        const answer = double.fault.data?.()
        if (Array.isArray(answer)) return done(refusal(answer))
        if (stream.sizeExceeded) return done(refusal([552, 'Message too large']))
        double.mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString(),
        })
        if (answer === 'die') return sockets.forEach(socket => socket.destroy())
        await answer
        done()
      })())
    },
  })
  server.on('error', () => { /* A client that gave up, or does not trust the certificate. */ })
  server.server.on('connection', (socket: { destroy: () => void, once: (event: string, act: () => void) => void }) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  double.port = (server.server.address() as AddressInfo).port
  return double
}

/** Returns a header of a message, unfolded; undefined if it is absent. */
export function headerOf({ raw }: Mail, name: string): string | undefined {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
  return head.split('\r\n').find(line => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    ?.slice(name.length + 1).trim()
}

/** Returns the text of a part of this type, decoded. */
export function partOf({ raw }: Mail, type: string): string {
  const part = raw.split(/\r\n--\S+/).find(each => each.trimStart().startsWith(`Content-Type: ${type}`)) ?? ''
  const body = part.slice(part.indexOf('\r\n\r\n') + 4).trimEnd()
  if (/quoted-printable/i.test(part)) return decodeQuotedPrintable(body)
  return /base64/i.test(part) ? Buffer.from(body, 'base64').toString() : body
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
