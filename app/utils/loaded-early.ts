import type { AsyncComponentLoader, Component } from 'vue'

/**
 * A component that is loaded when nobody waits: by the time that it is needed, there may be no connection, or a
 * version deployed that does not have it.
 */
export function loadedEarly<T extends Component>(load: AsyncComponentLoader<T>) {
  // What fails now is loaded when it is needed, and told of then.
  onceIdle(() => load().catch(() => {}))
  return defineAsyncComponent(load)
}
