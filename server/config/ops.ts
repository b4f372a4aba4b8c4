import { text, type Require, type Values, type Variable } from './variable'

/** Who may look at the ops pages, and what machines may ask. */
export const opsVariables = {
  OPS_PASSWORD: { schema: text.min(12, 'it has fewer than 12 characters'), about: 'Signs people in to the ops pages. Without it, and without Slack or Discord sign-in, they are closed in production.', where: 'Make one: openssl rand -base64 24.' },
  METRICS_TOKEN: { schema: text.min(16, 'it has fewer than 16 characters'), about: 'Lets Prometheus read GET /api/metrics, as a bearer token. Without it there are no metrics.', where: 'Make one: openssl rand -hex 32.' },
} as const satisfies Record<string, Variable>

export interface OpsConfig {
  password?: string
  metricsToken?: string
}

export function readOps(values: Values<typeof opsVariables>, _require: Require): OpsConfig {
  return { password: values.OPS_PASSWORD, metricsToken: values.METRICS_TOKEN }
}
