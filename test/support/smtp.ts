import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** Email that the server took. */
export interface ReceivedEmail {
  from: string
  to: string[]
  /** Whole message as it arrived. */
  source: string
}

/** Answers that the server gives instead of taking an email; a test changes them while it runs. */
interface SmtpFaults {
  /** Called with each recipient; a returned code and text refuse it. */
  recipient?: (address: string) => [code: number, text: string] | undefined
  /** Called when the whole message has arrived. `die` closes the connection instead of an answer, `wait` delays it. */
  data?: () => [code: number, text: string] | 'die' | Promise<unknown> | undefined
}

/** A mail server on loopback that speaks SMTP as real ones do. */
export interface SmtpDouble {
  port: number
  /** Takes these values for SMTP_URL, without user and password. */
  url: string
  emails: ReceivedEmail[]
  faults: SmtpFaults
  /** Number of connections that were opened, and of those that are open. */
  connections: { opened: number, open: number }
  close: () => Promise<void>
}

/** @param options those of `smtp-server`; by default without STARTTLS and without sign-in */
export async function startSmtp(
  { port = 0, ...options }: SMTPServerOptions & { port?: number } = {},
): Promise<SmtpDouble> {
  const emails: ReceivedEmail[] = []
  const sockets = new Set<{ destroy: () => void }>()
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'], authOptional: true, disableReverseLookup: true, closeTimeout: 100,
    onRcptTo({ address }, _, done) {
      const fault = double.faults.recipient?.(address)
      done(fault && Object.assign(new Error(fault[1]), { responseCode: fault[0] }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk as Buffer))
      stream.on('end', async () => {
        const fault = double.faults.data?.()
        if (stream.sizeExceeded) return done(Object.assign(new Error('Too large'), { responseCode: 552 }))
        if (Array.isArray(fault)) return done(Object.assign(new Error(fault[1]), { responseCode: fault[0] }))
        emails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '', to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        })
        if (fault === 'die') return sockets.forEach(socket => socket.destroy())
        await fault
        done(null, 'queued as ABC123')
      })
    },
    ...options,
  })
  server.on('error', () => { /* A client that goes away. */ })
  server.server.on('connection', (socket) => {
    double.connections.opened++
    double.connections.open++
    sockets.add(socket)
    socket.on('error', () => { /* The client has gone. */ })
    socket.on('close', () => {
      double.connections.open--
      sockets.delete(socket)
    })
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const { port: ownPort } = server.server.address() as AddressInfo
  const double: SmtpDouble = {
    port: ownPort, url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${ownPort}`, emails, faults: {},
    connections: { opened: 0, open: 0 },
    close: async () => {
      sockets.forEach(socket => socket.destroy())
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
  return double
}

/** Creates a self-signed certificate for loopback, PEM. */
export function selfSigned(folder: string): { key: string, cert: string, path: string } {
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-keyout', keyPath, '-out', path,
  ], { stdio: 'ignore' })
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(path, 'utf8'), path }
}

/** Value of a header of the message, unfolded. */
export function headerOf({ source }: ReceivedEmail, name: string): string | undefined {
  const [head = ''] = source.split('\r\n\r\n')
  return head.replace(/\r\n[ \t]+/g, ' ').split('\r\n').find(line => (
    line.toLowerCase().startsWith(`${name.toLowerCase()}: `)
  ))?.slice(name.length + 2)
}
