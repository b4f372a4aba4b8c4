import { Dicer } from '@fastify/busboy'

/** Max bytes to search for the end of the first line; a boundary has up to 70 (RFC 2046, 5.1.1) */
const MAX_LINE_BYTES = 200

/** Multipart parser that reads the boundary from the first line, for scripts that leave it out of the header. */
export class SelfDescribedParser extends Dicer {
  private head: Buffer | null = Buffer.alloc(0)

  constructor(options: Dicer.Config) {
    // Replaced once the boundary is known.
    super({ ...options, boundary: '-' })
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    if (!this.head) return super._write(chunk, encoding, callback)
    const head = Buffer.concat([this.head, chunk])
    this.head = head
    const [, boundary] = /^--([^\r\n]+)\r\n/.exec(head.toString('latin1', 0, MAX_LINE_BYTES)) ?? []
    if (!boundary) return callback(head.length < MAX_LINE_BYTES ? null : new Error('The first line is no boundary.'))
    this.setBoundary(boundary)
    this.head = null
    super._write(head, encoding, callback)
  }
}
