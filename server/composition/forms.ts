import { isFileField } from '../../shared/field-types/field-types'
import type { SandboxState } from '../../shared/types/sandbox'
import { createEndpoint } from '../adapters/downstream/endpoint'
import type { Config } from '../config'
import { inputOf } from '../config/field-rules'
import type { FormsConfig } from '../config/forms'
import type { Context } from '../domain/context'
import type { OpenTools } from '../domain/deliveries/delivery'
import { allAddresses } from '../domain/deliveries/registry'
import { openDestinations } from '../domain/deliveries/settings'
import { jsonSchemaOf } from '../domain/fields/rules'
import { enter, type Entrance } from '../domain/intake/intake'
import { orderedObject } from '../domain/json'
import type { Connection } from '../platforms/connection'
import type { Form, FormPages, Forms } from '../ports/form'
import type { HttpClient } from '../ports/http'
import type { Services } from './services'

/** Configuration that defines forms. */
interface Needed {
  forms: FormsConfig
  mail: { to: readonly string[], fromAddress: string }
  endpoint: { url?: string, signingSecrets?: readonly string[] }
  people: { reviewers?: readonly string[], claimMs: number | null }
}

/** Builds all configured forms. Settings that a form leaves out are those of the default form. */
export function createForms(
  config: Needed, http: HttpClient, connections: readonly Pick<Connection, 'platform' | 'channelId' | 'late'>[],
): Forms {
  const tools: OpenTools = {
    endpoint: ({ secrets = config.endpoint.signingSecrets, ...settings }) => (
      createEndpoint({ ...settings, signingSecrets: secrets }, http)
    ),
  }
  // Outside production a form may name channels of platforms that are not set up: the sandbox replaces them.
  const rooms = (channels: Readonly<Record<string, string>>) => Object.entries(channels).filter(([platform]) => (
    connections.some(({ platform: { key } }) => key === platform)
  )).map(([platform, channel]) => `${platform}/${channel}`)
  const { reviewers, claimMs } = config.people
  const claim = claimMs === null ? undefined : 'soft'
  const standard: Form = {
    rooms: connections.filter(({ channelId, late }) => channelId !== null || late).flatMap(
      ({ platform: { key, channel: { beside = [] } } }) => [key, ...beside.map(also => `${key}/${also}`)],
    ),
    destinations: openDestinations({ to: [...config.mail.to], endpoint: config.endpoint.url }, tools), labels: {},
    reviewers, claim,
  }
  const forms = new Map(Object.entries(config.forms).map(([key, form]): [string, Form] => [key, {
    key,
    name: form.name,
    rooms: rooms(form.channels ?? {}).length > 0 ? rooms(form.channels ?? {}) : standard.rooms,
    destinations: openDestinations(form, tools, standard.destinations),
    labels: labelsOf(form),
    ...takes(form),
    technical: form.technical,
    files: form.files,
    hold: form.hold,
    subject: form.subject,
    replyTo: form.replyTo,
    confirm: form.confirm,
    reviewers: form.reviewers ?? reviewers,
    claim: claim && (form.claim ?? claim),
  }]))
  const all = [standard, ...forms.values()]
  // Reviewers may choose other recipients. The form's own addresses are never taken as the sender's address.
  for (const form of all) form.ownAddresses = [config.mail.fromAddress, ...allAddresses(form)]
  // A removed form may have had a list of reviewers. To keep it closed, only reviewers of other forms may decide it.
  const listed = new Set(all.flatMap(({ reviewers }) => reviewers ?? []))
  const left = reviewers ?? (listed.size > 0 ? [...listed] : undefined)
  return {
    all,
    of: key => key === undefined ? standard : forms.get(key) ?? { ...missing(key), reviewers: left, claim },
    find: key => forms.get(key) ?? null,
    rooms: [...new Set(all.flatMap(({ rooms }) => rooms))],
  }
}

/** Returns the labels of fields in their order, which a plain object would lose for numbered fields. */
function labelsOf({ fields = {} }: FormsConfig[string]): Form['labels'] {
  const labels = Object.entries(fields).map(([field, { label }]) => [field, label ?? field] as const)
  return orderedObject(labels) as Form['labels']
}

/** Returns the rules for fields if the form sets any type or refuses other fields; otherwise none. */
function takes({ fields, extra }: FormsConfig[string]): Partial<Form> {
  const isTyped = extra === 'refuse' || Object.values(fields ?? {}).some(({ type }) => type)
  return isTyped ? { fields: fields ?? {}, extra } : {}
}

/** Returns the first form that takes files, for people who try it out. */
export function sampleUpload(forms: FormsConfig): SandboxState['upload'] {
  const [key, form] = Object.entries(forms).find(([, { files }]) => files) ?? []
  if (!form?.files) return null
  const { name, fields = {}, files } = form
  const field = Object.keys(fields).find(each => isFileField(fields[each]!)) ?? 'files'
  return { path: `/api/form/${key}`, name, field, ...inputOf(files) }
}

/** Returns a function that finds the inbox of a form by its key; it returns null for an unknown key. */
export function createInbox(config: Config, context: Context, entrance: Entrance): Services['inbox'] {
  const { forms, clock } = context
  return (key) => {
    const form = key === undefined ? forms.of(key) : forms.find(key)
    return form && {
      rules: rulesOf(key, config),
      schema: () => jsonSchemaOf(form),
      enter: async (sender) => {
        await clock.known()
        return enter(sender, form, context, entrance)
      },
    }
  }
}

/** Returns a form's protection against abuse, and the settings of the pages that its senders see. */
export function rulesOf(key: string | undefined, { form: guards, forms }: Config): Config['form'] & FormPages {
  const { allowedOrigins = guards.allowedOrigins, redirect, texts, name, fields, files } = forms[key ?? ''] ?? {}
  return { ...guards, key, allowedOrigins, redirect, texts, name, fields, files: files && inputOf(files) }
}

/** Placeholder for a removed form; its name is the key in its address. */
function missing(key: string): Form {
  return { key, missing: true, name: key, rooms: [], destinations: [], labels: {} }
}
