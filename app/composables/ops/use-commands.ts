import { useEventListener } from '@vueuse/core'

/** Something that can be done on a page: by its key, by the palette, and by a button somewhere. */
export interface PaletteCommand {
  /** As `KeyboardEvent.key` has it. */
  key?: string
  label: string
  icon: string
  /** Holding its key down does it again and again. */
  repeats?: boolean
  run: () => unknown
}

/** Ctrl or Cmd with K. */
export const PALETTE_KEY = 'Mod+K'

/** Letters belong to whoever types, chooses or is asked something. */
const TAKEN = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=listbox], [role=menu]'
const DIALOG = '[role=dialog][data-state=open]'

/** What each part of what is shown has on offer, the frame first. */
const offers = shallowReactive(new Set<() => PaletteCommand[]>())

/** All that can be done now, what the page has before what the frame has; a key is of the first that has it. */
export function commandsNow(): PaletteCommand[] {
  const keys = new Set<string>()
  return [...offers].toReversed().flatMap(offer => offer()).map(({ key, ...command }) => {
    if (key === undefined || keys.has(key)) return command
    keys.add(key)
    return { key, ...command }
  })
}

/** Has this on offer, as long as the component is there. */
export function useCommands(offer: () => PaletteCommand[]): void {
  offers.add(offer)
  onBeforeUnmount(() => offers.delete(offer))
}

/** Answers to keys; once, for all pages. */
export function useKeys(): void {
  useEventListener('keydown', (event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, repeat, isComposing, target } = event
    const isPalette = (ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'k'
    if (event.defaultPrevented || isComposing || altKey || ((ctrlKey || metaKey) && !isPalette)) return
    if ((target as Element).closest?.(TAKEN) || document.querySelector(DIALOG)) return
    // What has the focus answers to it.
    if (key === 'Enter' && (target as Element).closest?.('a, button, summary, input')) return
    // With caps lock it is the same key.
    const pressed = isPalette ? PALETTE_KEY : shiftKey || key.length > 1 ? key : key.toLowerCase()
    const command = commandsNow().find(each => each.key === pressed)
    if (!command) return
    event.preventDefault()
    if (!repeat || command.repeats) command.run()
  })
}
