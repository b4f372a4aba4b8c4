import { whenever } from '@vueuse/core'

/** Becomes true once `condition` is true, and stays true. For components that are loaded when first needed. */
export function useEver(condition: () => unknown): Readonly<Ref<boolean>> {
  const hasHeld = ref(false)
  whenever(condition, () => hasHeld.value = true, { immediate: true, once: true })
  return hasHeld
}
