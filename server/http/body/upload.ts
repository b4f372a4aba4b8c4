import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import type { FileRule, TakeFile } from '../../ports/files'
import {
  bodyTooLarge, hasLeft, incomplete, RAISE_FORM_LIMIT, tooSlow, type BodyLimits, type HeldBody,
} from './body-memory'
import { addressGroup, clientAddress, SITE_BITS } from '../request'
import { HttpError } from '../errors'
import { multipartForm } from './multipart'

/** Destination of a form's files */
export interface FormUpload {
  rule: FileRule
  take: TakeFile
  /** Counts the client's bytes before any of them is read. @throws DomainError if there are too many */
  count: (bytes: number) => Promise<void>
}

/** Memory of an upload of any size, bytes: a part of a file, copies of it, and buffered input */
const UPLOAD_BYTES = 2 * 1024 * 1024

/** Bytes after which the time limit starts anew */
const STRETCH = 1024 * 1024

/** Max parts: more than any form has, and few enough to handle one by one */
const MAX_PARTS = 5000

/** Max header of a part, bytes; the header names its field and file */
const HEADER_BYTES = 16 * 1024

/**
 * Reads a multipart form, and passes its files on as they arrive.
 *
 * @param maxBytes limit of everything but files
 * @throws HttpError as `ReadBody`
 * @throws InvalidSubmission if it cannot be parsed
 * @throws DomainError as `upload` does
 */
export async function readUpload(
  event: H3Event, upload: FormUpload, maxBytes: number, limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  failure.catch(() => { /* The upload was ended early, to make room. */ })
  const client = addressGroup(clientAddress(event.node.req, limits.trustedProxies), SITE_BITS)
  const reservation = limits.uploads.open(client, fail)
  try {
    reservation.resize(UPLOAD_BYTES)
    return await streamUpload(event, upload, maxBytes, { timeoutMs: limits.timeoutMs, reservation, failure, fail })
  }
  finally {
    reservation.release()
  }
}

interface Arrival {
  timeoutMs: number
  reservation: HeldBody
  /** Rejects if the upload ends early; `fail` causes that */
  failure: Promise<never>
  fail: (error: unknown) => void
}

async function streamUpload(
  event: H3Event, { rule, take, count }: FormUpload, maxBytes: number,
  { timeoutMs, reservation, failure, fail }: Arrival,
): Promise<Record<string, unknown>> {
  const { req: request } = event.node
  const maxTotalBytes = rule.max * rule.maxBytes + maxBytes
  const declaredBytes = Number(getRequestHeader(event, 'content-length') ?? maxTotalBytes)
  if (!(declaredBytes <= maxTotalBytes)) throw tooMuch(maxTotalBytes)
  await count(declaredBytes)
  // The sender left during `count`.
  if (hasLeft(request)) throw incomplete()

  const { parser, fields, stop } = multipartForm({
    contentType: getRequestHeader(event, 'content-type') ?? '', takeFile: take, maxParts: MAX_PARTS,
    maxHeadBytes: HEADER_BYTES,
    checkFields: (bytes) => {
      if (bytes > maxBytes) throw bodyTooLarge(maxBytes, RAISE_FORM_LIMIT)
    },
  })
  let receivedBytes = 0

  const onTimeout = () => {
    // The storage is still busy with earlier bytes, so the sender is not too slow.
    if (parser.writableNeedDrain) {
      timer = setTimeout(onTimeout, timeoutMs)
      return
    }
    // Close the connection too.
    setResponseHeader(event, 'Connection', 'close')
    fail(tooSlow(timeoutMs))
  }
  let timer = setTimeout(onTimeout, timeoutMs)
  const onData = (chunk: Buffer) => {
    if (Math.floor(receivedBytes / STRETCH) < Math.floor((receivedBytes + chunk.length) / STRETCH)) {
      clearTimeout(timer)
      timer = setTimeout(onTimeout, timeoutMs)
    }
    receivedBytes += chunk.length
    if (receivedBytes > maxTotalBytes) fail(tooMuch(maxTotalBytes))
  }
  const onError = () => fail(incomplete())
  const onClose = () => request.complete || onError()
  // From here on only the storage takes time.
  const onEnd = () => {
    clearTimeout(timer)
    reservation.complete()
  }
  request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose).pipe(parser)
  try {
    return await Promise.race([fields, failure])
  }
  catch (error) {
    request.unpipe(parser)
    // Finish all begun files before the answer, so that they can be deleted.
    await stop(error as Error)
    // Without a listener, node discards the rest.
    request.on('error', () => {}).resume()
    throw error
  }
  finally {
    clearTimeout(timer)
    request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
  }
}

function tooMuch(maxBytes: number): HttpError {
  return new HttpError(
    413, 'BODY_TOO_LARGE',
    `With its files the form is larger than ${maxBytes} bytes. Send fewer files, or smaller ones.`,
  )
}
