import type { Environment } from 'vitest/runtime'

/** Compiles components as for a browser; `mounted.ts` defines the browser features that they use. */
const environment: Environment = { name: 'page', viteEnvironment: 'client', setup: () => ({ teardown: () => {} }) }
export default environment
