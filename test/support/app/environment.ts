import type { Environment } from 'vitest/runtime'

/** Compiles components as for a browser; `mounted.ts` defines what they use of it. */
const environment: Environment = { name: 'page', viteEnvironment: 'client', setup: () => ({ teardown: () => {} }) }
export default environment
