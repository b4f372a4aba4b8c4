import { createRenderer, type Component } from 'vue'

// Elements of a page without a browser, with only the features that the pages use.

type Props = Record<string, unknown>

/** Matches one simple selector, such as `a[href=x]:not([y])`. The only supported state is `:disabled`. */
function isMatch(part: Part, selector: string): boolean {
  const [, tag, conditions] = /^([\w-]*)(.*)$/.exec(selector)!
  if (tag && tag !== part.tag) return false
  return [...conditions!.matchAll(/:not\((.+?)\)|:(disabled)|\[([\w-]+)(?:="?([^\]"]*)"?)?\]/g)].every(
    ([, unwanted, state, name, value]) => {
      if (unwanted) return !isMatch(part, unwanted)
      const actual = part.getAttribute(state ?? name!)
      return value === undefined ? actual !== null : actual === value
    },
  )
}

function isMatchOfAny(part: Part, selectors: string): boolean {
  return selectors.split(',').some((selector) => {
    const [own, ...above] = selector.trim().split(' ').reverse() as [string, ...string[]]
    if (!isMatch(part, own)) return false
    let rest = above
    for (let each = part.parent; each && rest.length > 0; each = each.parent) {
      if (isMatch(each, rest[0]!)) rest = rest.slice(1)
    }
    return rest.length === 0
  })
}

export class Part {
  parent: Part | null = null
  children: Part[] = []
  props: Props = {}
  style: Record<string, string> = {}
  tabIndex = 0
  // Vue does not make DOM elements reactive, and recognizes them by this tag.
  readonly [Symbol.toStringTag] = 'HTMLElement'
  constructor(readonly tag: string, private text = '') {}

  get textContent(): string {
    return this.text + this.children.map(each => each.textContent).join(' ')
  }

  set textContent(text: string) {
    this.children = []
    this.text = text
  }

  get isConnected(): boolean {
    return this === page.root || (this.parent?.isConnected ?? false)
  }

  get dataset() {
    return Object.fromEntries(Object.entries(this.props).map(([name, value]) => [name.replace('data-', ''), value]))
  }

  getAttribute(name: string): string | null {
    const value = this.props[name]
    return value === undefined || value === null || value === false ? null : String(value)
  }

  matches(selectors: string): boolean {
    return isMatchOfAny(this, selectors)
  }

  closest(selectors: string): Part | null {
    return this.matches(selectors) ? this : this.parent?.closest(selectors) ?? null
  }

  contains(part: Part | null): boolean {
    return part === this || (part !== null && this.contains(part.parent))
  }

  querySelectorAll(selectors: string): Part[] {
    return this.children.flatMap(
      each => [...each.matches(selectors) ? [each] : [], ...each.querySelectorAll(selectors)],
    )
  }

  querySelector(selectors: string): Part | null {
    return this.querySelectorAll(selectors)[0] ?? null
  }

  focus() {
    if (this.props.disabled) return
    page.focused = this
    page.heard.get('focusin')?.forEach(hear => hear({ target: this }))
  }

  blur() {
    if (page.focused === this) page.focused = page.root
  }

  scrollIntoView() {}
  getBoundingClientRect() {
    return { top: 0, left: 0, width: 0, height: 0 }
  }

  addEventListener() {}
  removeEventListener() {}

  // Vue's transitions need the following members.
  nodeType = 1
  ownerDocument = { body: {} }
  classList = { add() {}, remove() {} }
  cloneNode() { return new Part(this.tag) }
  appendChild() {}
  removeChild() {}
}

/** Listeners of the window and the document, by the name of their event */
type Listeners = Map<string, Set<(event: object) => void>>

/** The one page of a test */
export const page = { root: new Part('body'), focused: null as Part | null, heard: new Map() as Listeners }

const renderer = createRenderer<Part, Part>({
  createElement: tag => new Part(tag),
  createText: text => new Part('#text', text),
  createComment: () => new Part('#comment'),
  setText: (part, text) => { part.textContent = text },
  setElementText: (part, text) => { part.textContent = text },
  parentNode: part => part.parent,
  nextSibling: part => part.parent?.children[part.parent.children.indexOf(part) + 1] ?? null,
  insert(part, parent, anchor) {
    part.parent?.children.splice(part.parent.children.indexOf(part), 1)
    part.parent = parent
    parent.children.splice(anchor ? parent.children.indexOf(anchor) : parent.children.length, 0, part)
  },
  remove(part) {
    part.parent?.children.splice(part.parent.children.indexOf(part), 1)
    part.parent = null
    // Browsers move the focus away from removed elements.
    if (page.focused && !page.focused.isConnected) page.focused = page.root
  },
  patchProp(part, name, _, value) {
    if (name === 'textContent') part.textContent = String(value)
    else part.props[name] = value
    if (name === 'disabled' && value && page.focused === part) page.focused = page.root
  },
})

export const createPage = (component: Component) => renderer.createApp(component)
