import { createEndpoint } from '../adapters/downstream/endpoint'
import type { Config } from '../config'
import type { Form, Forms } from '../ports/form'
import type { HttpClient } from '../ports/http'

/** Every form of the configuration. What one does not say is as for the default form. */
export function createForms(config: Config, http: HttpClient, platforms: readonly string[]): Forms {
  const endpoint = (url: string | null | undefined) => url
    ? createEndpoint({ url, signingSecret: config.endpoint.signingSecret }, http)
    : null
  // Outside production a form may name channels of platforms that are not set up: the sandbox takes their place.
  const rooms = (channels: Readonly<Record<string, string>>) => Object.entries(channels).filter(([platform]) => (
    platforms.includes(platform)
  )).map(([platform, channel]) => `${platform}/${channel}`)
  const standard: Form = { rooms: platforms, to: [config.mail.to], endpoint: endpoint(config.endpoint.url), labels: {} }
  const forms = new Map(Object.entries(config.forms).map(([key, form]): [string, Form] => [key, {
    key,
    name: form.name,
    rooms: rooms(form.channels ?? {}).length > 0 ? rooms(form.channels ?? {}) : standard.rooms,
    to: form.to ?? standard.to,
    endpoint: form.endpoint === undefined ? standard.endpoint : endpoint(form.endpoint),
    labels: form.fields ?? {},
  }]))
  const all = [standard, ...forms.values()]
  return {
    all,
    of: key => key === undefined ? standard : forms.get(key) ?? missing(key),
    find: key => forms.get(key) ?? null,
    rooms: [...new Set(all.flatMap(({ rooms }) => rooms))],
  }
}

/** What is known of a form that is not configured any more: what it was called in its address. */
function missing(key: string): Form {
  return { key, missing: true, name: key, rooms: [], to: [], endpoint: null, labels: {} }
}
