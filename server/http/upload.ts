import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { InvalidSubmission } from '../domain/errors'
import type { FileRule, TakeFile } from '../ports/files'
import { bodyTooLarge, hasLeft, incomplete, RAISE_FORM_LIMIT, tooSlow, type BodyLimits } from './body-limits'
import type { HeldBody } from './body-memory'
import { addressGroup, clientAddress, SITE_BITS } from './client-address'
import { HttpError } from './errors'
import { FormFields } from './form-fields'

/** Where the files of a form go. */
export interface Upload {
  rule: FileRule
  take: TakeFile
  /** Counts what its client sends, before any of it is read. @throws DomainError when it is too much */
  count: (bytes: number) => Promise<void>
}

/** What an upload takes of memory, whatever its size: a part of a file, copies of it, and what is on the wire. */
const MEMORY = 2 * 1024 * 1024

/** For so many bytes, begun, a sender has the time that a whole form has. */
const STRETCH = 1024 * 1024

/** What a field costs beside its name and value. */
const FIELD_BYTES = 64

/** More than any form has, and few enough to be looked at one by one. */
const PARTS = 5000

/** No longer than other forms: a header of a part names its field and file. */
const HEADER_BYTES = 16 * 1024

/**
 * Reads a multipart form, and hands its files on as they come.
 *
 * @param maxBytes of everything but files
 * @throws HttpError as `ReadBody`
 * @throws InvalidSubmission when it cannot be parsed
 * @throws DomainError as `upload` does
 */
export async function readUpload(
  event: H3Event, upload: Upload, maxBytes: number, limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => { /* Made way for others before anything of it was read. */ })
  const client = addressGroup(clientAddress(event.node.req, limits.trustedProxies), SITE_BITS)
  const held = limits.uploads.open(client, fail)
  try {
    held.resize(MEMORY)
    return await streamed(event, upload, maxBytes, { timeoutMs: limits.timeoutMs, held, failed, fail })
  }
  finally {
    held.release()
  }
}

interface Arrival {
  timeoutMs: number
  held: HeldBody
  /** Rejects when it ends early, which `fail` causes. */
  failed: Promise<never>
  fail: (error: unknown) => void
}

async function streamed(
  event: H3Event, { rule, take, count }: Upload, maxBytes: number, { timeoutMs, held, failed, fail }: Arrival,
): Promise<Record<string, unknown>> {
  const { req: request } = event.node
  const most = rule.max * rule.maxBytes + maxBytes
  const length = Number(getRequestHeader(event, 'content-length') ?? most)
  if (!(length <= most)) throw tooMuch(most)
  await count(length)
  // Its sender left while it was counted.
  if (hasLeft(request)) throw incomplete()

  const fields = new FormFields()
  const streams = new Set<BusboyFileStream>()
  const parser = parserOf(event, maxBytes)
  const finished = new Promise<void>(resolve => parser.once('finish', resolve))
  let taken: Promise<unknown> = Promise.resolve()
  let [fieldBytes, received] = [0, 0]

  parser.on('field', (name, value, _, isCut) => {
    fieldBytes += Buffer.byteLength(name ?? '') + Buffer.byteLength(value) + FIELD_BYTES
    if (isCut || fieldBytes > maxBytes) return fail(bodyTooLarge(maxBytes, RAISE_FORM_LIMIT))
    fields.add(decoded(name ?? ''), value)
  })
  parser.on('file', (name, content, fileName) => {
    // Whoever reads it hears of an error; one that nobody reads any more has nobody to tell.
    content.on('error', () => {})
    streams.add(content)
    taken = taken.then(() => take({ field: decoded(name ?? ''), name: decoded(fileName ?? ''), content })).finally(
      () => streams.delete(content),
    )
    taken.catch(fail)
  })
  parser.on('partsLimit', () => fail(new InvalidSubmission(`The form has more than ${PARTS} fields and files.`)))
  parser.on('error', () => fail(new InvalidSubmission('The form cannot be read: its encoding is broken.')))

  const late = () => {
    // The storage still takes what came before.
    if (parser.writableNeedDrain) {
      timer = setTimeout(late, timeoutMs)
      return
    }
    // Whoever is that slow does not hold the connection either.
    setResponseHeader(event, 'Connection', 'close')
    fail(tooSlow(timeoutMs))
  }
  let timer = setTimeout(late, timeoutMs)
  const onData = (chunk: Buffer) => {
    if (Math.floor(received / STRETCH) < Math.floor((received + chunk.length) / STRETCH)) {
      clearTimeout(timer)
      timer = setTimeout(late, timeoutMs)
    }
    received += chunk.length
    if (received > most) fail(tooMuch(most))
  }
  const onError = () => fail(incomplete())
  const onClose = () => request.complete || onError()
  // From here on only the storage takes its time.
  const onEnd = () => {
    clearTimeout(timer)
    held.complete()
  }
  request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose).pipe(parser)
  try {
    await Promise.race([finished.then(() => taken), failed])
    return fields.toObject()
  }
  catch (error) {
    request.unpipe(parser)
    for (const stream of streams) stream.destroy(error as Error)
    // What was begun is over before its sender is answered, and may be deleted.
    await taken.catch(() => {})
    // Without a listener, node throws away what still comes.
    request.on('error', () => {}).resume()
    throw error
  }
  finally {
    clearTimeout(timer)
    request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
  }
}

function tooMuch(most: number): HttpError {
  return new HttpError(
    413, 'BODY_TOO_LARGE', `With its files the form is larger than ${most} bytes. Send fewer files, or smaller ones.`,
  )
}

function parserOf(event: H3Event, maxBytes: number) {
  try {
    return new Busboy({
      headers: { 'content-type': getRequestHeader(event, 'content-type') ?? '' },
      isPartAFile: (_field, _type, name) => name !== undefined,
      // A file that waits for its turn holds up all that comes behind its first byte, however small the files are.
      fileHwm: 1,
      limits: { fieldSize: maxBytes, headerSize: HEADER_BYTES, parts: PARTS },
    })
  }
  catch {
    throw new InvalidSubmission('The form cannot be read: its encoding is broken.')
  }
}

/** A name as browsers write it: https://html.spec.whatwg.org/#multipart-form-data */
function decoded(name: string): string {
  return name.replaceAll(/%(22|0A|0D)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
