import { useEventListener } from '@vueuse/core'

/** Command of a page: available by key, in the palette, and as a button somewhere */
export interface PaletteCommand {
  /** Value of `KeyboardEvent.key` */
  key?: string
  label: string
  icon: string
  /** True if holding the key down repeats the command */
  repeats?: boolean
  run: () => unknown
}

/** Ctrl or Cmd with K */
export const PALETTE_KEY = 'Mod+K'

/** Elements in which keys are for typing, choosing or answering */
const TYPING_SELECTOR = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=listbox], [role=menu]'
const DIALOG_SELECTOR = '[role=dialog][data-state=open]'

/** Command sources of the mounted components, the layout first */
const offers = shallowReactive(new Set<() => PaletteCommand[]>())

/** Returns all current commands, the page's before the layout's; a key belongs to the first command that has it. */
export function commandsNow(): PaletteCommand[] {
  const keys = new Set<string>()
  return [...offers].toReversed().flatMap(offer => offer()).map(({ key, ...command }) => {
    if (key === undefined || keys.has(key)) return command
    keys.add(key)
    return { key, ...command }
  })
}

/** Offers commands while the component is mounted. */
export function useCommands(offer: () => PaletteCommand[]): void {
  offers.add(offer)
  onBeforeUnmount(() => offers.delete(offer))
}

/** Runs commands by their keys; used once, for all pages. */
export function useKeys(): void {
  useEventListener('keydown', (event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, repeat, isComposing, target } = event
    const isPalette = (ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'k'
    if (event.defaultPrevented || isComposing || altKey || ((ctrlKey || metaKey) && !isPalette)) return
    if ((target as Element).closest?.(TYPING_SELECTOR) || document.querySelector(DIALOG_SELECTOR)) return
    // The focused element handles Enter itself.
    if (key === 'Enter' && (target as Element).closest?.('a, button, summary, input')) return
    // Caps lock does not change the key.
    const pressedKey = isPalette ? PALETTE_KEY : shiftKey || key.length > 1 ? key : key.toLowerCase()
    const command = commandsNow().find(each => each.key === pressedKey)
    if (!command) return
    event.preventDefault()
    if (!repeat || command.repeats) command.run()
  })
}
