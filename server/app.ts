import { captureOutput, createJsonLog } from './adapters/log/json-log'
import { compose } from './composition/compose'
import type { Services } from './composition/services'
import { readConfig } from './config'
import { requestId } from './http/errors'
import type { Log } from './ports/runtime'

let log: Log | undefined
let services: Services | undefined

/** The log of this process; from the first use on, everything that is printed is a line of it. */
export function useLog(): Log {
  if (log) return log
  log = createJsonLog(() => ({ request: requestId() }))
  // A developer's terminal is no log.
  if (!import.meta.dev) captureOutput(log)
  return log
}

/** The one set of services of this process, made on first use. @throws ConfigError */
export function useServices(): Services {
  return services ??= compose(readConfig(), useLog())
}

/** The routes that anybody may call, as OpenAPI describes them. */
export async function describeApi(): Promise<object> {
  return (await import('./composition/openapi')).openApi(useServices())
}
