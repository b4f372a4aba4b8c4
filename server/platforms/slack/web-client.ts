import type { SlackAdapterConfig } from '@chat-adapter/slack'
import { CALL_TIMEOUT_MS } from './client'

/** Options of Slack's own client, through which the SDK calls. */
export const WEB_CLIENT: SlackAdapterConfig['webClientOptions'] = {
  // By default it retries for 30 minutes.
  timeout: CALL_TIMEOUT_MS, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true,
  // By itself it calls directly, past the proxy that everything else goes through.
  requestInterceptor: request => ({ ...request, proxy: undefined }),
  // It would write warnings to the console as plain text; what fails is thrown, and logged elsewhere.
  logger: {
    debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, setLevel: () => {},
    getLevel: () => 'error' as never, setName: () => {},
  },
}
