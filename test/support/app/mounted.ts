import { vi } from 'vitest'
import { defineComponent, h, nextTick, type App, type Component } from 'vue'
import { standInFor } from './components'
import { site } from './nuxt'
import { createPage, page, Part } from './tree'

/** Stand-in for the page's EventSource; the test sends the events. */
export class Events {
  static open: Events[] = []
  private hear = new Map<string, (event: { data: string }) => void>()
  isClosed = false
  constructor(readonly url: string) {
    Events.open.push(this)
  }

  addEventListener(name: string, hear: (event: { data: string }) => void) {
    this.hear.set(name, hear)
  }

  send(name: 'changed' | 'heartbeat', data: unknown = '') {
    this.hear.get(name)!({ data: typeof data === 'string' ? data : JSON.stringify(data) })
  }

  close() {
    this.isClosed = true
  }
}

function listens() {
  return {
    addEventListener: (name: string, hear: (event: object) => void) => {
      page.heard.set(name, (page.heard.get(name) ?? new Set()).add(hear))
    },
    removeEventListener: (name: string, hear: (event: object) => void) => void page.heard.get(name)?.delete(hear),
  }
}

class Kept extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null
  setItem = (key: string, value: string) => void this.set(key, value)
  removeItem = (key: string) => void this.delete(key)
}

/** Observers of the document; the test notifies them of changes. */
export const observers = new Set<() => void>()

/** State of the browser: matching media queries, online or not, and its confirm dialogs */
export const browser = { media: new Set<string>(), isOnline: true, answers: [] as boolean[], questions: [] as string[] }

const document = {
  ...listens(),
  visibilityState: 'visible',
  get body() { return page.root },
  get activeElement() { return page.focused },
  querySelector: (selectors: string) => page.root.querySelector(selectors),
  querySelectorAll: (selectors: string) => page.root.querySelectorAll(selectors),
  getElementById: (id: string) => page.root.querySelector(`[id=${id}]`),
}
const GLOBALS = {
  document, ...listens(), EventSource: Events, HTMLElement: Part, Element: Part,
  navigator: { get onLine() { return browser.isOnline } },
  location: { origin: 'http://own.invalid', href: 'http://own.invalid/', assign: (path: string) => site.visited.push(path) },
  history: { get state() { return site.historyStates.at(-1) } },
  localStorage: new Kept(), sessionStorage: new Kept(), Storage: WeakMap, dispatchEvent: () => true,
  requestAnimationFrame: (draw: () => void) => setTimeout(draw, 16),
  matchMedia: (media: string) => ({ matches: browser.media.has(media), media, ...listens() }),
  MutationObserver: class {
    constructor(private tell: () => void) {}
    observe() { observers.add(this.tell) }
    disconnect() { observers.delete(this.tell) }
    takeRecords() { return [] }
  },
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
  getComputedStyle: () => ({}),
  CSS: { escape: (text: string) => text },
  confirm: (question: string) => {
    browser.questions.push(question)
    return browser.answers.shift() ?? false
  },
  close: () => site.visited.push('(closed)'),
  scrollTo: () => {},
}
for (const [name, value] of Object.entries(GLOBALS)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
Object.defineProperty(globalThis, 'window', { value: globalThis, configurable: true })

/** Sends an event to the window and the document. Returns false if a listener prevented the default action. */
export function dispatch(name: string, details: object = {}): boolean {
  let isPrevented = false
  const event = { target: page.focused, ...details, preventDefault: () => { isPrevented = true } }
  for (const hear of page.heard.get(name) ?? []) hear(event)
  return !isPrevented
}

let apps: App<Part>[] = []

/** Opens an empty page. Call it before each test. */
export function openPage(): void {
  vi.useFakeTimers({ now: new Date('2026-11-27T12:00:00Z') })
  page.root = page.focused = new Part('body')
  site.reset()
  Events.open = []
  Object.assign(browser, { isOnline: true, answers: [], questions: [] })
  browser.media.clear()
  for (const storage of [GLOBALS.localStorage, GLOBALS.sessionStorage]) storage.clear()
}

export function closePage(): void {
  for (const app of apps) app.unmount()
  apps = []
  vi.useRealTimers()
}

/** Advances the fake clock and runs everything that becomes due. */
export const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

/**
 * Mounts a component into the page. `components` are used as they are; all others are replaced by stand-ins.
 *
 * @returns function that removes the component again
 */
export async function mount(component: Component, props: object = {}, components: Record<string, Component> = {}) {
  const app = createPage({ render: () => h(component, props) })
  app._context.components = new Proxy(components, { get: (own, name: string) => {
    return own[name] ?? standInFor(name)
  }, has: () => true }) as Record<string, Component>
  app.config.warnHandler = () => {}
  const place = new Part('div')
  page.root.children.push(place)
  place.parent = page.root
  app.mount(place)
  apps.push(app)
  await pass()
  return () => {
    apps = apps.filter(each => each !== app)
    app.unmount()
  }
}

/** Runs a composable in a component of its own. */
export async function use<T>(compose: () => T): Promise<T & { leave: () => void }> {
  let composed: T
  const leave = await mount(defineComponent(() => {
    composed = compose()
    return () => null
  }))
  return Object.assign(composed! as object, { leave }) as T & { leave: () => void }
}

/** Finds an element by its test id. */
export const byId = (id: string) => page.root.querySelector(`[data-testid=${id}]`)

/** Returns the text of the page, or of one part of it, with white space collapsed. */
export const shown = (part: Part | null = page.root) => part?.textContent.replace(/\s+/g, ' ').trim() ?? ''

/** Finds a button by its label. */
function button(label: string): Part {
  const found = page.root.querySelectorAll('button')
    .find(each => shown(each) === label || each.props['aria-label'] === label)
  if (!found) throw new Error(`There is no button ${label} in: ${shown()}`)
  return found
}

/** Presses an element, given by its test id or label, and waits for the effects. */
export async function press(what: string | Part) {
  const part = typeof what === 'string' ? byId(what) ?? button(what) : what
  part.focus()
  if (!part.props.disabled) (part.props.onClick as (event: object) => unknown)({ detail: 1 })
  await pass()
}

/** Types a text into an input. */
export async function type(id: string, text: string) {
  handle(byId(id)!, 'onUpdate:modelValue')(text)
  await nextTick()
}

/** Submits the first form of the page. */
export async function submit() {
  handle(page.root.querySelector('form')!, 'onSubmit')({ preventDefault() {} })
  await pass()
}

/** Presses a key on the focused element. */
export async function key(name: string, pressed: object = {}) {
  dispatch('keydown', { key: name, ...pressed })
  await pass()
}

/** Returns an element's handler with this name. */
export const handle = (part: Part, name: string) => part.props[name] as (value?: unknown) => void

/** Returns the toasts (short messages) shown since the last call, one line each. */
export const toasts = () => site.toasts.splice(0).map(
  ({ title, description }) => [title, description].filter(Boolean).join(': '),
)

/** Returns the current value of an input. */
export const typed = (id: string) => byId(id)?.props.modelValue ?? byId(id)?.props['model-value']

/** Creates a promise with which a test holds an answer back. */
export const gate = <T>() => Promise.withResolvers<T>()
