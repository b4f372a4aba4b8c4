import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import builtInForms from '../forms.config'
import type { ConfigArea } from '../shared/types/status'
import { agentVariables, readAgent, type AgentConfig } from './config/agent'
import { alertVariables, readAlerts, type AlertConfig } from './config/alerts'
import { coreVariables } from './config/core'
import { filesVariables, readFiles, type FilesConfig } from './config/files'
import { folderProblem } from './config/folder'
import { HONEYPOT, readForms, type FormsConfig } from './config/forms'
import { opsVariables, readOps, signInVariables, type OpsConfig } from './config/ops'
import { readMail, requireMail, type MailConfig } from './config/mail'
import { misspelt } from './config/misspelt'
import { everyoneListed, peopleVariables, readPeople, type PeopleConfig } from './config/people'
import { readPlatforms, wantedPlatforms } from './config/platforms'
import { readTools, toolsVariables, type ToolsConfig } from './config/tools'
import { sqlitePath } from './config/store-url'
import { readVariable, readVariables, type Environment } from './config/values'
import { platforms } from './platforms/registry'
import type { Require, Variable } from './variable'

export interface Config {
  /** True unless the environment is explicitly development or test. */
  production: boolean
  /** Public URL of the pages, without a trailing slash; null if unknown, so that nothing links there. */
  siteUrl: string | null
  /** Language of cards and emails. */
  locale: string
  maxBodyBytes: number
  /** Bytes that all bodies may take at a time, and time in which one must arrive, ms. */
  bodies: { memory: number, timeoutMs: number }
  /** Protection of POST /api/form against abuse. */
  form: {
    /** Forms a minute from one client; 0 for no limit. */
    rateLimit: number
    /** MB of forms an hour from one client; 0 for no limit. */
    rateLimitMb: number
    /** Number of our own proxies in front, whose X-Forwarded-For is trusted. */
    trustedProxies: number
    honeypot: string
    /** Max quarantined forms that are kept. */
    heldMax: number
    /** Any if undefined. */
    allowedOrigins?: readonly string[]
    apiKey?: string
    /** Human check; at most one is set. */
    altcha?: { secret: string }
    turnstile?: { secretKey: string, siteKey?: string, verifyUrl?: string }
  }
  /** Settings of the platforms that are set up, by key; only the platform knows their type. */
  platforms: Readonly<Record<string, unknown>>
  /** Address to listen on, if one was set. */
  host?: string
  /** Proxies for calls to vendors, by variable; null for none. */
  proxy: { HTTPS_PROXY?: string, HTTP_PROXY?: string, NO_PROXY?: string } | null
  /** Time in which each decision can be taken back, ms. */
  revocableMs: Record<'forward' | 'spam', number>
  /** How long after a decision cards still show the form, ms; null for always. */
  cardDataMs: number | null
  /** Redis, or a file of SQLite. */
  storeUrl: string
  dataDir: string
  mail: MailConfig
  /** URL for forwards of the default form, secrets that sign those of every form, and whether erasures are sent. */
  endpoint: { url?: string, signingSecrets?: readonly string[], tellsErasures: boolean }
  /** Forms beside the default one. */
  forms: FormsConfig
  people: PeopleConfig
  cronSecret?: string
  /** True if the process lives for one request only: a cron calls the sweep instead of a timer. */
  serverless: boolean
  retry: { baseMs: number, leaseMs: number, retryForMs: number, sweepIntervalMs: number }
  /** Replaces the platforms' own pause between cards, ms. */
  cardIntervalMs?: number
  ops: OpsConfig
  alerts: AlertConfig
  agent: AgentConfig
  tools: ToolsConfig
  files: FilesConfig
}

/** One message with every problem, each with the variable, its purpose and where to get it. */
export class ConfigError extends Error {
  readonly summary: string

  constructor(readonly problems: readonly string[]) {
    const summary = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`
    const help = 'See .env.example for every variable.'
    super(`${summary}:\n\n${problems.map(problem => `  - ${problem}`).join('\n')}\n\n${help}`)
    this.summary = `${summary}. ${help}`
    this.name = 'ConfigError'
  }
}

/** Default address of the service outside production; also, by the specification, the target of a gateway. */
export const LOCAL_SITE = 'http://localhost:3000'

/** Variables that the service itself names */
type ServiceVariables = typeof coreVariables & typeof peopleVariables & typeof opsVariables & typeof agentVariables
  & typeof toolsVariables & typeof filesVariables & typeof alertVariables

/** Every variable that the service reads, by area. `.env.example` is checked against it. */
export const areas: Readonly<Record<string, Readonly<Record<string, Variable>>>> = {
  'Main job': coreVariables, 'Files of forms': filesVariables, 'People': peopleVariables,
  ...Object.fromEntries(platforms.map(({ label, variables }) => [label, variables])),
  'Ops pages': { ...opsVariables, ...signInVariables }, 'Alerts': alertVariables,
  'Conversation': agentVariables, 'Agent tools': toolsVariables,
}

const table: Readonly<Record<string, Variable>> = Object.assign({}, ...Object.values(areas))

type Values = { [Name in keyof ServiceVariables]: z.infer<ServiceVariables[Name]['schema']> | undefined }
  & Readonly<Record<string, unknown>>

/** Reads the environment; the only place that does. @throws ConfigError */
export function readConfig(env: Environment = process.env, dotenv = dotenvFor(env)): Config {
  const { problems, describe, ...result } = readVariables(table, env, dotenv)
  const values = result.values as Values
  const serverless = values.VERCEL === true
  const production = values.NODE_ENV !== 'development' && values.NODE_ENV !== 'test'
  const isSet = (name: string) => values[name] !== undefined
  const require: Require = (names, when) => {
    const missing = names.filter(name => !isSet(name) && !problems.some(problem => problem.startsWith(`${name} `)))
    problems.push(...missing.map(name => `${name} is missing${when}. ${describe(name)}`))
  }

  const siteUrl = readSiteUrl(values, production)
  const requireSite = (reason: string) => siteUrl ?? require(['NUXT_PUBLIC_SITE_URL'], `, but ${reason}`)
  const context = {
    require, requireSite, siteUrl, production, serverless,
    isGiven: (name: string) => readVariable(table, name, env) !== undefined,
  }

  const platformKeys = wantedPlatforms(values, context)
  const embeddedPlatform = platforms.find(({ key, needs }) => needs.length === 0 && platformKeys.includes(key))
  requireMail(values, embeddedPlatform !== undefined, require, problems)
  const mail = readMail(values, problems)
  if (production) require(['STORE_URL'], '')
  const honeypot = values.FORM_HONEYPOT
  const formSettings = readForms(
    builtInForms, values.FORMS_CONFIG, production ? platformKeys : null, problems, honeypot,
  )
  const { forms } = formSettings
  const people = readPeople(values, formSettings.people, problems)
  requireCompanions(values, Object.values(forms), require)
  const parts = {
    platforms: readPlatforms(values, platformKeys, { forms, people: everyoneListed(people, forms) }, context),
    ops: readOps(values, require, requireSite), alerts: readAlerts(values, platformKeys, problems),
    agent: readAgent(values, require), tools: readTools(values, require),
  }
  const maxBodyBytes = values.MAX_BODY_BYTES ?? 256 * 1024
  const files = readFiles(
    values, { maxBodyBytes, forms, tools: parts.tools, production, require, requireSite, problems },
  )
  if (production && embeddedPlatform && !parts.ops.canSignIn) {
    const [name] = Object.keys(embeddedPlatform.variables)
    problems.push(`${name} is on in production, so anybody could read and decide submissions in the ${embeddedPlatform.label.toLowerCase()}. Set OPS_PASSWORD and NUXT_SESSION_PASSWORD (or another way to sign in) to require a sign-in there, or unset ${name}.`)
  }
  const dataDir = values.DATA_DIR ?? '.data'
  const storeUrl = values.STORE_URL ?? `sqlite:${dataDir}/forms.db`
  if (values.VERCEL && values.STORE_URL && sqlitePath(storeUrl) !== null) {
    problems.push('STORE_URL names a file, and files do not outlive a request on Vercel. Set it to a Redis.')
  }
  const takesFiles = Object.values(forms).some(form => form.files)
  const usesFolder = takesFiles ? files.storage?.kind === 'disk' : !production && !values.STORE_URL
  // Check the folder only for the process's own environment: another one may describe another machine.
  const isHere = env === process.env && !values.VERCEL
  const dataDirProblem = usesFolder && isHere ? folderProblem(dataDir) : null
  if (dataDirProblem) problems.push(dataDirProblem)
  if (problems.length > 0) throw new ConfigError([...problems, ...checkNames(env)])

  return {
    ...parts,
    production, siteUrl, locale: values.LOCALE ?? 'en',
    host: values.HOST,
    proxy: readProxy(values),
    maxBodyBytes,
    bodies: readBodies(values),
    form: readFormGuards(values),
    revocableMs: readRevocable(values),
    cardDataMs: values.CARD_DATA_TTL ?? null,
    storeUrl,
    dataDir, mail,
    endpoint: readEndpoint(values),
    forms, people, files,
    cronSecret: values.CRON_SECRET,
    serverless,
    cardIntervalMs: values.CARD_INTERVAL_MS,
    retry: readRetry(values),
  }
}

/** Public URL without a trailing slash; null if unknown */
function readSiteUrl(values: Values, production: boolean): string | null {
  const host = values.VERCEL_PROJECT_PRODUCTION_URL
  const localUrl = production ? null : LOCAL_SITE
  const givenUrl = values.NUXT_PUBLIC_SITE_URL ?? (host ? `https://${host}` : localUrl)
  return givenUrl?.replace(/(?<!\/)\/+$/, '') ?? null
}

function readProxy({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Values): Config['proxy'] {
  return HTTPS_PROXY ?? HTTP_PROXY ? { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } : null
}

function readBodies(values: Values): Config['bodies'] {
  return { memory: values.BODY_MEMORY_BYTES ?? 64 * 1024 * 1024, timeoutMs: values.BODY_TIMEOUT_MS ?? 30_000 }
}

function readRevocable(values: Values): Config['revocableMs'] {
  return { forward: (values.UNDO_SECONDS ?? 0) * 1000, spam: values.SPAM_HOLD ?? 0 }
}

function readRetry(values: Values): Config['retry'] {
  return {
    baseMs: values.RETRY_BASE_MS ?? 5000, leaseMs: values.LEASE_MS ?? 30_000,
    retryForMs: values.RETRY_FOR ?? 3 * 24 * 60 * 60 * 1000,
    sweepIntervalMs: values.SWEEP_INTERVAL_MS ?? 2000,
  }
}

/** Requires variables without which others that are set have no effect. */
function requireCompanions(
  values: Values, forms: readonly { endpoint?: string | null, claim?: unknown, hold?: boolean }[], require: Require,
): void {
  for (const name of ['FORWARD_SIGNING_SECRET', 'FORWARD_ERASURES'] as const) {
    const isVain = values[name] && !forms.some(({ endpoint }) => endpoint)
    if (isVain) require(['FORWARD_ENDPOINT'], `, but ${name} is set`)
  }
  if (values.CLAIM_TTL !== undefined) require(['TAKE'], ', but CLAIM_TTL is set')
  if (forms.some(({ claim }) => claim)) require(['TAKE'], ', but a form of the configuration sets claim')
  if (values.RECEIPT_WAIT !== undefined) require(['MAIL_WEBHOOK_SECRET'], ', but RECEIPT_WAIT is set')
  requireHumanCheck(values, forms.some(({ hold }) => hold), require)
  if (values.VERCEL) require(['CRON_SECRET'], ', and without it nothing can do due work here')
}

function requireHumanCheck(values: Values, isHolding: boolean, require: Require): void {
  const { HUMAN_CHECK, ALTCHA_SECRET, NUXT_SESSION_PASSWORD, TURNSTILE_SECRET_KEY } = values
  for (const name of ['TURNSTILE_SITE_KEY', 'TURNSTILE_VERIFY_URL'] as const) {
    if (values[name] !== undefined) require(['TURNSTILE_SECRET_KEY'], `, but ${name} is set`)
  }
  if (HUMAN_CHECK === 'turnstile') require(['TURNSTILE_SECRET_KEY'], ', but HUMAN_CHECK is turnstile')
  if (HUMAN_CHECK === 'altcha' && !NUXT_SESSION_PASSWORD) {
    require(['ALTCHA_SECRET'], ', but HUMAN_CHECK is altcha and NUXT_SESSION_PASSWORD is not set')
  }
  if (ALTCHA_SECRET !== undefined) require(['HUMAN_CHECK'], ', but ALTCHA_SECRET is set')
  if (isHolding && !TURNSTILE_SECRET_KEY) require(['HUMAN_CHECK'], ', but a form of the configuration sets hold')
}

function readFormGuards(values: Values): Config['form'] {
  const isAltcha = values.HUMAN_CHECK === 'altcha'
  return {
    rateLimit: values.FORM_RATE_LIMIT ?? 60, rateLimitMb: values.FORM_RATE_LIMIT_MB ?? 20,
    // Vercel's own proxy overwrites X-Forwarded-For: https://vercel.com/docs/headers/request-headers#x-forwarded-for
    trustedProxies: values.TRUST_PROXY ?? (values.VERCEL ? 1 : 0),
    honeypot: values.FORM_HONEYPOT ?? HONEYPOT, heldMax: values.HELD_MAX ?? 1000,
    allowedOrigins: values.FORM_ALLOWED_ORIGINS, apiKey: values.FORM_API_KEY,
    altcha: isAltcha ? { secret: values.ALTCHA_SECRET ?? values.NUXT_SESSION_PASSWORD! } : undefined,
    turnstile: values.TURNSTILE_SECRET_KEY && !isAltcha
      ? {
          secretKey: values.TURNSTILE_SECRET_KEY, siteKey: values.TURNSTILE_SITE_KEY,
          verifyUrl: values.TURNSTILE_VERIFY_URL,
        }
      : undefined,
  }
}

function readEndpoint(values: Values): Config['endpoint'] {
  return {
    url: values.FORWARD_ENDPOINT, signingSecrets: values.FORWARD_SIGNING_SECRET,
    tellsErasures: values.FORWARD_ERASURES ?? false,
  }
}

/** Lists the variables by area, with their purpose, and if each is set. */
export function checkConfig(env: Environment = process.env): ConfigArea[] {
  return Object.entries(areas).map(([area, variables]) => ({
    area,
    variables: Object.entries(variables).map(([name, { alias, about, where }]) => (
      { name, alias, about, where, set: readVariable(table, name, env) !== undefined }
    )),
  }))
}

/** Warns about names in the environment that resemble those of our variables; one line each. */
export function checkNames(env: Environment = process.env): string[] {
  const variableNames = Object.entries(table).flatMap(([name, { alias }]) => alias ? [name, alias] : [name])
  return misspelt(Object.keys(env).filter(name => env[name]?.trim()), variableNames)
}

/** Warnings about values that look unusual or may have been cut in `.env`; one line each. */
export function checkValues(env: Environment = process.env, dotenv = dotenvFor(env)): string[] {
  return readVariables(table, env, dotenv).warnings
}

/** The `.env` file that `npm start` and `npm run dev` load into the process's environment; empty if there is none. */
function dotenvFor(env: Environment): string {
  try {
    return env === process.env ? readFileSync('.env', 'utf8') : ''
  }
  catch {
    return ''
  }
}
