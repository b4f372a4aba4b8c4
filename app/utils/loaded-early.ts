import type { AsyncComponentLoader, Component } from 'vue'

/**
 * A component that is loaded while the page is idle: when it is needed, the connection may be gone, or a new deployment
 * may have removed its file.
 */
export function loadedEarly<T extends Component>(load: AsyncComponentLoader<T>) {
  // Ignore a failure now: the component is loaded again, and the error reported, when it is needed.
  onceIdle(() => load().catch(() => {}))
  return defineAsyncComponent(load)
}
