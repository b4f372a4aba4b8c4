import { computed, defineComponent, h, onMounted, onUpdated, ref, type Component, type VNode } from 'vue'
import type { Part } from './tree'

type Slots = Record<string, ((props: object) => VNode[]) | undefined>

/** Texts of Nuxt UI's components, in the order in which they are shown */
const TEXTS = ['label', 'title', 'description', 'error', 'help', 'placeholder']

const DIALOG = { 'role': 'dialog', 'data-state': 'open' }

const TAGS: readonly [RegExp, string][] = [[/Button$/, 'button'], [/Link$/, 'a'], [/Input|Textarea$/, 'input']]

/** Renders any component, of Nuxt UI or our own, as one element with its texts and all its slots. */
function standIn(name: string): Component {
  const [, tag = name] = TAGS.find(([names]) => names.test(name)) ?? []
  return defineComponent({ inheritAttrs: false, setup(_, { attrs, slots, expose }) {
    const own = ref<Part | null>(null)
    const isBusy = ref(false)
    const input = computed(() => own.value)
    expose({ inputRef: input, textareaRef: input })
    let isOpen: unknown = false
    const follow = () => {
      if (attrs.open === isOpen) return
      const { onOpenAutoFocus, onCloseAutoFocus } = (attrs.content ?? {}) as Record<string, (event: object) => void>
      isOpen = attrs.open
      void (isOpen ? onOpenAutoFocus : onCloseAutoFocus)?.({ preventDefault() {} })
    }
    onMounted(follow)
    onUpdated(follow)
    const onClick = async () => {
      isBusy.value = 'loadingAuto' in attrs || 'loading-auto' in attrs
      await (attrs.onClick as (event: object) => unknown)?.({ detail: 1 })
      isBusy.value = false
    }
    const isDisabled = () => isBusy.value || attrs.disabled || undefined
    return () => attrs.open === false
      ? null
      : h(tag, {
          ...attrs, ...attrs.open === true && DIALOG, ref: own as never, ...tag === 'button' && { onClick },
          disabled: isDisabled(),
        }, [
          TEXTS.map(text => attrs[text]).filter(Boolean).join(' '),
          ...Object.values(slots as Slots).map(slot => slot?.({ close: () => {} })),
        ])
  } })
}

const standIns = new Map<string, Component>()

/** Returns the stand-in for the component of this name. */
export function standInFor(name: string): Component {
  if (!standIns.has(name)) standIns.set(name, standIn(name))
  return standIns.get(name)!
}

export const UInput = standIn('UInput')
export const UTextarea = standIn('UTextarea')
