import type { Form, Forms } from '../../server/ports/form'

const HOST_ONLY = { host: 'downstream.example.com', url: 'https://downstream.example.com/inbox', post: async () => ({
  ok: true as const, value: { status: 200 },
}) }

/** The default form, and others by key. */
export function formsOf(standard: Partial<Form> = {}, others: Record<string, Partial<Form>> = {}): Forms {
  const complete = (form: Partial<Form>): Form => ({
    rooms: ['slack'], to: ['team@example.com'], endpoint: HOST_ONLY, labels: {}, ...form,
  })
  const forms = new Map(Object.entries(others).map(([key, form]) => [key, complete({ key, ...form })]))
  const all = [complete(standard), ...forms.values()]
  return {
    all,
    of: key => key === undefined
      ? all[0]!
      : forms.get(key) ?? complete({ key, missing: true, name: key, rooms: [], to: [], endpoint: null }),
    find: key => forms.get(key) ?? null, rooms: [...new Set(all.flatMap(({ rooms }) => rooms))],
  }
}
