import { whenever } from '@vueuse/core'

/** Becomes true with the first time that `is` holds, and stays so: for what is loaded when somebody needs it. */
export function useEver(is: () => unknown): Readonly<Ref<boolean>> {
  const ever = ref(false)
  whenever(is, () => ever.value = true, { immediate: true, once: true })
  return ever
}
