import { createSharedComposable, useMediaQuery } from '@vueuse/core'

/** True if the page is being printed; one listener for all users */
export const usePrinted = createSharedComposable(() => useMediaQuery('print'))
