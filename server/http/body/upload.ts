import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import type { FileRule, TakeFile } from '../../ports/files'
import {
  bodyTooLarge, hasLeft, incomplete, RAISE_FORM_LIMIT, tooSlow, type BodyLimits, type HeldBody,
} from './body-memory'
import { addressGroup, clientAddress, SITE_BITS } from '../request'
import { HttpError } from '../errors'
import { multipartForm } from './multipart'

/** Where the files of a form go. */
export interface FormUpload {
  rule: FileRule
  take: TakeFile
  /** Counts what its client sends, before any of it is read. @throws DomainError when it is too much */
  count: (bytes: number) => Promise<void>
}

/** What an upload takes of memory, whatever its size: a part of a file, copies of it, and what is on the wire. */
const MEMORY = 2 * 1024 * 1024

/** For so many bytes, begun, a sender has the time that a whole form has. */
const STRETCH = 1024 * 1024

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
  event: H3Event, upload: FormUpload, maxBytes: number, limits: BodyLimits,
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
  event: H3Event, { rule, take, count }: FormUpload, maxBytes: number, { timeoutMs, held, failed, fail }: Arrival,
): Promise<Record<string, unknown>> {
  const { req: request } = event.node
  const most = rule.max * rule.maxBytes + maxBytes
  const length = Number(getRequestHeader(event, 'content-length') ?? most)
  if (!(length <= most)) throw tooMuch(most)
  await count(length)
  // Its sender left while it was counted.
  if (hasLeft(request)) throw incomplete()

  const { parser, fields, stop } = multipartForm({
    contentType: getRequestHeader(event, 'content-type') ?? '', takeFile: take, maxParts: PARTS,
    maxHeadBytes: HEADER_BYTES,
    checkFields: (bytes) => {
      if (bytes > maxBytes) throw bodyTooLarge(maxBytes, RAISE_FORM_LIMIT)
    },
  })
  let received = 0

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
    return await Promise.race([fields, failed])
  }
  catch (error) {
    request.unpipe(parser)
    // What was begun is over before its sender is answered, and may be deleted.
    await stop(error as Error)
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
