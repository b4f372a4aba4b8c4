import { onClickOutside } from '@vueuse/core'

/** A panel and the button that opens it; the button gets the focus back when the panel closes. */
export function usePanel(
  container: Readonly<Ref<HTMLElement | null>>, opener: Readonly<Ref<{ $el: HTMLElement } | null>>,
) {
  const open = ref(false)
  onClickOutside(container, () => open.value = false)

  function close() {
    open.value = false
    opener.value?.$el.focus()
  }

  /** Closes an open panel; otherwise Esc remains a command of the page. */
  function escape(event: Event) {
    if (!open.value) return
    event.preventDefault()
    close()
  }

  return { open, close, escape }
}
