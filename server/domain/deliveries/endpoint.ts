import { DELIVERY_TEXTS } from '../../../shared/deliveries'
import { endpoint as url } from '../../variable'
import { withFiles } from '../outbox/email'
import type { DeliveryRow } from './delivery'

const settings = {
  /** URL to which forwards are also posted; FORWARD_ENDPOINT if absent, no URL if null. */
  endpoint: url.nullable().optional(),
}

/** POST of the form data as JSON */
export const endpointDelivery: DeliveryRow<typeof settings> = {
  key: 'endpoint', ...DELIVERY_TEXTS.endpoint, copyName: 'The data',
  carries: ['erasure'],
  settings,
  open: ({ endpoint: target }, standard, tools) => ({
    endpoint: target === undefined ? standard.endpoint : target ? tools.endpoint(target) : null,
  }),
  isWanted: ({ endpoint: target }) => target !== null,
  targets: ({ endpoint: target }) => target ? [target.host] : [],
  linksFiles: (files, { endpoint: target }) => files.length > 0 && target !== null,
  identity: ({ endpoint: target }) => [target!.url],
  send: ({ submission, form, idempotencyKey }, { files }) => (
    form.endpoint!.post(JSON.stringify(withFiles(submission, files)), idempotencyKey)
  ),
  tellErasure: (event, form, idempotencyKey) => form.endpoint!.post(event, idempotencyKey),
}
