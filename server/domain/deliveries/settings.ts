import { z } from 'zod'
import { endpoint as url } from '../../variable'
import type { Destination } from '../../ports/form'
import type { Delivery } from '../../ports/submission'
import type { DeliveryRow, OpenTools } from './delivery'
import { conditionSchema } from './condition'
import { addresses } from './email'
import { byOrder, DELIVERIES, rowOf } from './registry'

/** Name on cards and pages; part of ids, which are stored. */
const destinationName = z.string().regex(
  /^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+&-]{0,38}[\p{L}\p{N}])?$/u,
  'must have at most 40 letters, digits, spaces and . _ @ + & -',
)

const general = { name: destinationName.optional(), when: conditionSchema.optional() }

type SchemaOf<Row> = Row extends DeliveryRow<infer Key, infer Settings>
  ? z.ZodObject<{ kind: z.ZodLiteral<Key> } & typeof general & Settings, z.core.$strict>
  : never

type SchemasOf<Rows extends readonly unknown[]> = { -readonly [Index in keyof Rows]: SchemaOf<Rows[Index]> }

const kindSchemas = DELIVERIES.map(({ key, settings }) => (
  z.strictObject({ kind: z.literal(key), ...general, ...settings })
)) as unknown as SchemasOf<typeof DELIVERIES>

const destination = z.discriminatedUnion(
  'kind', kindSchemas, `must be one of ${DELIVERIES.map(({ key }) => key).join(', ')}`,
)

/** Settings of a form for its destinations. `to` and `endpoint` are the two that are there by default. */
export const DESTINATION_SETTINGS = {
  /** One address or several; FORWARD_EMAIL if absent. */
  to: addresses.optional(),
  /** URL to which forwards are also posted; FORWARD_ENDPOINT if absent, no URL if null. */
  endpoint: url.nullable().optional(),
  /** Receivers of forwards, instead of `to` and `endpoint`. */
  destinations: z.array(destination).min(1, 'must not be empty').optional(),
}

export type DestinationSettings = z.output<z.ZodObject<typeof DESTINATION_SETTINGS>>

/** Returns contradictions in these settings, a line each. */
export function destinationProblems({ destinations, ...others }: DestinationSettings): string[] {
  if (!destinations) return []
  const ids = destinations.map(idOf)
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  return [
    ...(['to', 'endpoint'] as const).filter(setting => others[setting] !== undefined).map(
      setting => `${setting} is replaced by destinations: move it there`,
    ),
    ...repeated === undefined ? [] : [`destinations has ${repeated} twice: give each another name`],
  ]
}

/**
 * Returns the destinations of a form.
 *
 * @param standard those of the default form, which replace absent ones
 */
export function openDestinations(
  { to, endpoint, destinations }: DestinationSettings, tools: OpenTools, standard: readonly Destination[] = [],
): readonly Destination[] {
  if (destinations) return destinations.flatMap(each => openDestination(each, tools))
  const own: Destination[] = [
    ...to && to.length > 0 ? [{ id: 'email', to }] : [],
    ...endpoint ? [{ id: 'endpoint', endpoint: tools.endpoint({ url: endpoint }) }] : [],
  ]
  const isSet = { email: to !== undefined, endpoint: endpoint !== undefined }
  const kept = standard.filter(({ id }) => !isSet[id as keyof typeof isSet])
  return [...own, ...kept].sort(byOrder(({ id }) => id))
}

type Setting = z.output<typeof destination>

function openDestination(setting: Setting, tools: OpenTools): Destination[] {
  const { kind, name: _, when, ...settings } = setting
  const opened = rowOf(kind)!.open(settings, tools)
  const id = idOf(setting)
  return opened.map(members => ({
    // Each recipient of a separate email is a destination of its own.
    id: opened.length > 1 ? `${id} ${members.to!.join(' ')}` : id, ...when && { when }, ...members,
  }))
}

function idOf({ kind, name, when: _, ...settings }: Setting): Delivery {
  return `${kind}:${name ?? rowOf(kind)!.nameOf(settings)}`
}
