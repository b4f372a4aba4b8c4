import { createSharedComposable, useMediaQuery } from '@vueuse/core'

/** Whether the page is on its way to paper; one listener for all who ask. */
export const usePrinted = createSharedComposable(() => useMediaQuery('print'))
