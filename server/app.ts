import { captureOutput, createJsonLog } from './adapters/log/json-log'
import { compose } from './composition/compose'
import type { Services } from './composition/services'
import { readConfig } from './config'
import { requestId } from './http/errors'
import type { Log } from './ports/runtime'

let log: Log | undefined
let services: Services | undefined

/** Returns the log of this process. After the first use, everything that is printed becomes a log line. */
export function useLog(): Log {
  if (log) return log
  log = createJsonLog(() => ({ request: requestId() }))
  // In development the terminal stays readable.
  if (!import.meta.dev) captureOutput(log)
  return log
}

/** Returns the one set of services of this process, created on first use. @throws ConfigError */
export function useServices(): Services {
  return services ??= compose(readConfig(), useLog())
}

/** Describes the routes that anybody may call, as OpenAPI. */
export async function describeApi(): Promise<object> {
  return (await import('./composition/openapi')).openApi(useServices())
}
