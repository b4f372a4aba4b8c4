import { whenever } from '@vueuse/core'

/** Becomes true once `is` holds, and stays true: for components that are loaded when first needed. */
export function useEver(is: () => unknown): Readonly<Ref<boolean>> {
  const ever = ref(false)
  whenever(is, () => ever.value = true, { immediate: true, once: true })
  return ever
}
