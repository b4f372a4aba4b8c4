import { z } from 'zod'
import { DELIVERY_TEXTS } from '../../../shared/deliveries'
import { endpoint as url, signingSecrets } from '../../variable'
import { withFiles } from '../outbox/email'
import { isDefault, type DeliveryRow } from './delivery'
import { bodySchema, fillBody, valuesOf } from './template'

/** Headers that the service sets itself, or that would break the request. */
const OWN_HEADERS = /^(?:host|connection|content-length|content-type|transfer-encoding|idempotency-key|webhook-.*)$/i

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header').refine(
  name => !OWN_HEADERS.test(name), 'is set by the service itself',
)
const headerValue = z.string('must be a text').regex(
  /^[\x20-\x7E]+$/, 'must not have a line break, or a character that a header cannot carry',
)

const host = z.string().regex(
  /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/, 'must be a host such as script.googleusercontent.com',
)

const settings = {
  url,
  /** Standard Webhooks secret, or two during a change; FORWARD_SIGNING_SECRET if absent. */
  secret: signingSecrets.optional(),
  /** POST if absent. */
  method: z.enum(['POST', 'PUT', 'PATCH'], 'must be POST, PUT or PATCH').optional(),
  headers: z.record(headerName, headerValue).optional(),
  /** Host to which the receiver redirects for its answer; redirects are not followed if absent. */
  follow: host.optional(),
  /** JSON that the answer must contain; only its status matters if absent. */
  expect: z.json().optional(),
  /** JSON to send, with placeholders such as `{{subject}}`; the form data if absent. */
  body: bodySchema.optional(),
}

/** POST of the form data as JSON */
export const endpointDelivery: DeliveryRow<'endpoint', typeof settings> = {
  key: 'endpoint', ...DELIVERY_TEXTS.endpoint, copyName: 'The data',
  carries: ['erasure'],
  intervalMs: 100,
  settings,
  nameOf: request => new URL(request.url).host,
  open: ({ body, secret, ...request }, tools) => [{ endpoint: tools.endpoint({ ...request, secrets: secret }), body }],
  targets: ({ endpoint }) => [endpoint!.host],
  receiverOf: ({ endpoint }) => `endpoint/${endpoint!.host}`,
  linksFiles: files => files.length > 0,
  identity: ({ id, endpoint, body }) => [endpoint!.url, ...isDefault(id) ? [] : [id, JSON.stringify(body)]],
  send: ({ submission, form, destination: { endpoint, body }, idempotencyKey }, context) => endpoint!.post(
    JSON.stringify(body === undefined
      ? withFiles(submission, context.files)
      : fillBody(body, valuesOf(submission, form, context))),
    idempotencyKey,
  ),
  tellErasure: (event, { endpoint }, idempotencyKey) => endpoint!.post(event, idempotencyKey),
}
