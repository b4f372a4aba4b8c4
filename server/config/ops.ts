import { platforms } from '../platforms/registry'
import { text, token, type Require, type Values, type Variable } from '../variable'

/** Variables for the ops pages and for metrics */
export const opsVariables = {
  OPS_PASSWORD: {
    schema: text.min(12, 'must have at least 12 characters'),
    about: 'Signs people in to the ops pages. Without it, and without Slack or Discord sign-in, they are closed in production.',
    where: 'Make one: openssl rand -base64 24.',
  },
  METRICS_TOKEN: {
    schema: token.min(16, 'must have at least 16 characters'),
    about: 'Lets Prometheus read GET /api/metrics, as a bearer token. Without it there are no metrics.',
    where: 'Make one: openssl rand -hex 32.',
  },
  NUXT_SESSION_PASSWORD: {
    schema: text.min(32, 'must have at least 32 characters'),
    about: 'Encrypts the session cookie, and signs links to files of forms. A new value signs everybody out and ends all links.',
    where: 'Make one: openssl rand -hex 32.',
  },
} as const satisfies Record<string, Variable>

const signInWays = platforms.flatMap(({ key, label, signIn }) => signIn ? [{ key, label, signIn }] : [])

/** Variables for signing in with the platforms */
export const signInVariables: Readonly<Record<string, Variable>> = Object.assign(
  {}, ...signInWays.map(({ signIn }) => signIn.variables),
)

export interface OpsConfig {
  /** True if there is a way to sign in. */
  canSignIn: boolean
  /** Variables of all ways to sign in, for people who have to set one up. */
  waysIn: string
  password?: string
  /** Settings for signing in, by key of the platform. */
  platforms: Readonly<Record<string, unknown>>
  /** Set whenever there is a way to sign in. */
  sessionPassword?: string
  metricsToken?: string
}

/** Plus the platforms' own variables */
type OpsValues = Values<typeof opsVariables> & Readonly<Record<string, unknown>>

/** @param requireSite reports the public URL if it is missing */
export function readOps(values: OpsValues, require: Require, requireSite: (reason: string) => unknown): OpsConfig {
  const isSet = (name: string) => values[name] !== undefined
  const usedWays = signInWays.filter(({ signIn }) => signIn.needs.some(isSet))
  for (const { label, signIn } of usedWays) require(signIn.needs, `, but others for signing in with ${label} are set`)
  if (usedWays.length > 0) {
    const labels = signInWays.map(({ label }) => label).join(' or ')
    requireSite(`people are sent back to it when they have signed in with ${labels}`)
  }
  const canSignIn = usedWays.length > 0 || isSet('OPS_PASSWORD')
  if (canSignIn) require(['NUXT_SESSION_PASSWORD'], ', but a way to sign in is set up')
  return {
    canSignIn,
    waysIn: `OPS_PASSWORD, or ${signInWays.map(({ signIn }) => signIn.needs[0]).join(' or ')} with their client id and secret`,
    password: values.OPS_PASSWORD,
    platforms: Object.fromEntries(usedWays.map(({ key, signIn }) => [key, signIn.read(values)])),
    sessionPassword: values.NUXT_SESSION_PASSWORD,
    metricsToken: values.METRICS_TOKEN,
  }
}
