import type { Endpoint } from '../../server/ports/delivery'
import type { Form, Forms } from '../../server/ports/form'

const HOST_ONLY = { host: 'downstream.example.com', url: 'https://downstream.example.com/inbox', post: async () => ({
  ok: true as const, value: { status: 200 },
}) }

/** A form; `to` and `endpoint` are short for the two destinations that are there by default. */
export type WrittenForm = Partial<Form> & { to?: readonly string[], endpoint?: Endpoint | null }

/** A form with the default destinations, unless it has others. */
export function completeForm({ to = ['team@example.com'], endpoint = HOST_ONLY, ...form }: WrittenForm): Form {
  return {
    rooms: ['slack'], labels: {}, ownAddresses: to, destinations: [
      ...to.length > 0 ? [{ id: 'email', to }] : [], ...endpoint ? [{ id: 'endpoint', endpoint }] : [],
    ], ...form,
  }
}

/** The default form, and others by key. */
export function formsOf(standard: WrittenForm = {}, others: Record<string, WrittenForm> = {}): Forms {
  const forms = new Map(Object.entries(others).map(([key, form]) => [key, completeForm({ key, ...form })]))
  const all = [completeForm(standard), ...forms.values()]
  return {
    all,
    of: key => key === undefined
      ? all[0]!
      : forms.get(key) ?? completeForm({ key, missing: true, name: key, rooms: [], to: [], endpoint: null }),
    find: key => forms.get(key) ?? null, rooms: [...new Set(all.flatMap(({ rooms }) => rooms))],
  }
}
