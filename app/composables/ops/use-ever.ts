import { whenever } from '@vueuse/core'

/** Becomes true once `condition` holds, and stays true: for components that are loaded when first needed. */
export function useEver(condition: () => unknown): Readonly<Ref<boolean>> {
  const hasHeld = ref(false)
  whenever(condition, () => hasHeld.value = true, { immediate: true, once: true })
  return hasHeld
}
