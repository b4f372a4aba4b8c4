import { reactive, ref, type Ref } from 'vue'

// Stand-ins for the Nuxt functions that the pages use. The site is in memory, and the test answers its requests.

interface Place { path: string, query: Record<string, string>, hash: string, params: Record<string, string> }
type Target = string | Partial<Place> & { state?: object }
export interface Asked { path: string, method: string, body: Record<string, unknown>, timeout?: number }

const START: Place = { path: '/', query: {}, hash: '', params: {} }

/** Route of the page, as Vue Router has it */
export const route = reactive({ ...START, fullPath: '/', matched: [{}] as object[] })

/** State that a test sets or reads; `reset` restores the initial state. */
export const site = {
  states: new Map<string, Ref<unknown>>(),
  /** Addresses that the page navigated to, oldest first */
  visited: [] as string[],
  historyStates: [{}] as object[],
  guards: new Set<() => unknown>(),
  toasts: [] as { title: string, description?: string, duration?: number, actions?: { to: string }[] }[],
  asked: [] as Asked[],
  answer: ((asked: Asked) => expectNoRequest(asked)) as (asked: Asked) => unknown,
  reset() {
    Object.assign(route, START, { fullPath: '/', matched: [{}] })
    Object.assign(site, { visited: [], historyStates: [{}], toasts: [], asked: [], answer: expectNoRequest })
    site.states.clear()
    site.guards.clear()
  },
}

function expectNoRequest({ method, path }: Asked): never {
  throw new Error(`The test does not answer ${method} ${path}`)
}

/** Creates an error response of the server. */
export const refusal = (statusCode: number, data: object = {}) => Object.assign(new Error(`${statusCode}`), {
  statusCode, data, response: { status: statusCode, headers: new Headers() },
})

/** The error of a request without an answer */
export const noAnswer = () => (
  Object.assign(new Error('[GET] "/": <no response> Failed to fetch'), { name: 'FetchError' })
)

export async function $fetch(path: string, { method = 'GET', body = {}, timeout }: Partial<Asked> = {}) {
  const asked = { path, method, body, timeout }
  site.asked.push(asked)
  const answer = await site.answer(asked)
  if (answer instanceof Error) throw answer
  return answer
}

function go(target: Target) {
  const url = new URL(typeof target === 'string' ? target : target.path ?? route.path, 'http://own.invalid')
  const { query = {}, hash = url.hash, state = {} } = typeof target === 'string' ? {} : target
  if ([...site.guards].some(mayLeave => mayLeave() === false)) return false
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  const id = /^\/submissions\/(.+)$/.exec(url.pathname)?.[1]
  const fullPath = `${url.pathname}${url.search}${hash}`
  site.visited.push(fullPath)
  const params = id ? { id: decodeURIComponent(id) } : {}
  Object.assign(route, { path: url.pathname, query: Object.fromEntries(url.searchParams), hash, params, fullPath })
  return state
}

async function push(target: Target) {
  const state = go(target)
  if (state) site.historyStates.push(state)
}

async function replace(target: Target) {
  const state = go(target)
  if (state) site.historyStates.splice(-1, 1, state)
}

export const useRoute = () => route
export const useRouter = () => ({ push, replace })
export const navigateTo = (target: Target, options?: { replace?: boolean }) => (
  options?.replace ? replace(target) : push(target)
)
export function useState<T>(key: string, init: () => T): Ref<T> {
  if (!site.states.has(key)) site.states.set(key, ref(init()))
  return site.states.get(key) as Ref<T>
}
export const useToast = () => ({
  add: (toast: typeof site.toasts[number]) => void site.toasts.push(toast), toasts: ref([]),
})
export const useHead = () => {}
export const definePageMeta = () => {}
export const preloadRouteComponents = async () => {}
export const onNuxtReady = (act: () => unknown) => void act()
export const onBeforeRouteLeave = (guard: () => unknown) => void site.guards.add(guard)
export const onBeforeRouteUpdate = (guard: () => unknown) => void site.guards.add(guard)
export const defineNuxtRouteMiddleware = <T>(middleware: T) => middleware
