import { onClickOutside } from '@vueuse/core'

/** A panel and the button that opens it, which has the focus again when it closes. */
export function usePanel(whole: Readonly<Ref<HTMLElement | null>>, opener: Readonly<Ref<{ $el: HTMLElement } | null>>) {
  const open = ref(false)
  onClickOutside(whole, () => open.value = false)

  function close() {
    open.value = false
    opener.value?.$el.focus()
  }

  /** Esc is a command of the page too, while no panel is open. */
  function escape(event: Event) {
    if (!open.value) return
    event.preventDefault()
    close()
  }

  return { open, close, escape }
}
