import type { z } from 'zod'
import { readAgent, type AgentConfig } from './config/agent'
import { readForms, type FormsConfig } from './config/forms'
import { readOps, type OpsConfig } from './config/ops'
import { morePlatformLabels, readPlatforms, type PlatformsConfig } from './config/platforms'
import { requireWorkspaces } from './config/slack-oauth'
import { readTools, type ToolsConfig } from './config/tools'
import type { Require, Variable } from './config/variable'
import { areas, variables, type VariableName } from './config/variables'

export interface Config {
  /** Everything but an explicit development or test environment. */
  production: boolean
  /** Public URL of the pages, without a trailing slash; null in production when nobody said it: then nothing links there. */
  siteUrl: string | null
  maxBodyBytes: number
  /** Bytes that all bodies may take at a time, and how long one may take to arrive, ms. */
  bodies: { memory: number, timeoutMs: number }
  /** How POST /api/form is guarded against abuse. */
  form: {
    /** Forms a minute from one client; 0 for no limit. */
    rateLimit: number
    /** Proxies of ours in front, whose X-Forwarded-For is believed. */
    trustedProxies: number
    honeypot: string
    /** How many forms that fell into it are kept. */
    heldMax: number
    /** Any when undefined. */
    allowedOrigins?: readonly string[]
    apiKey?: string
    turnstile?: { secretKey: string, verifyUrl?: string }
  }
  slack?: { botToken: string, signingSecret: string, channelId: string, apiUrl?: string }
  discord?: { botToken: string, publicKey: string, applicationId: string, channelId: string, guildId?: string, apiUrl?: string }
  sandbox: boolean
  /** Address to listen on, when one was set. */
  host?: string
  /** Redis; without it submissions are kept in `dataDir`. */
  storeUrl?: string
  dataDir: string
  mail: { apiKey?: string, baseUrl?: string, fromAddress: string, fromName: string, to: string }
  /** Where forwards of the default form are posted, and what signs those of every form. */
  endpoint: { url?: string, signingSecret?: string }
  /** Forms beside the default one. */
  forms: FormsConfig
  cronSecret?: string
  /** The process lives for a request only: a cron calls the sweep instead of a timer. */
  serverless: boolean
  retry: { baseMs: number, leaseMs: number, sweepIntervalMs: number }
  /** Another pause between cards than the platforms' own, ms. */
  cardIntervalMs?: number
  ops: OpsConfig
  agent: AgentConfig
  platforms: PlatformsConfig
  tools: ToolsConfig
}

/** One message with every problem, each with the variable, what it is for and where to get it. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n\n${problems.map(problem => `  - ${problem}`).join('\n')}\n\nSee .env.example for every variable.`)
    this.name = 'ConfigError'
  }
}

/** Where the service is outside production, unless it is said, and by the specification what a gateway forwards to. */
export const LOCAL_SITE = 'http://localhost:3000'

type Environment = Readonly<Record<string, string | undefined>>

type Values = { [Name in VariableName]: z.infer<typeof variables[Name]['schema']> | undefined }

/** Reads the environment; the only place that does. @throws ConfigError */
export function readConfig(env: Environment = process.env): Config {
  const problems: string[] = []
  const values = Object.fromEntries(Object.keys(variables).map(name => [name, readVariable(name as VariableName, env, problems)])) as Values
  const production = values.NODE_ENV !== 'development' && values.NODE_ENV !== 'test'
  const isSet = (name: VariableName) => values[name] !== undefined
  // A malformed variable counts: the rest of its group is wanted as much.
  const isGiven = (name: VariableName) => readText(name, env) !== undefined
  const require: Require = (names, when) => {
    const missing = (names as VariableName[]).filter(name => !isSet(name) && !problems.some(problem => problem.startsWith(name)))
    problems.push(...missing.map(name => `${name} is missing${when}. ${describe(name)}`))
  }

  const slack = ['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID'] as const
  const discord = ['PLATFORM2_BOT_TOKEN', 'PLATFORM2_PUBLIC_KEY', 'PLATFORM2_APPLICATION_ID', 'DISCORD_CHANNEL_ID'] as const
  const mail = ['MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'] as const
  const slackWanted = slack.some(isGiven)
  const discordWanted = discord.some(isGiven)
  const host = values.VERCEL_PROJECT_PRODUCTION_URL
  const siteUrl = (values.NUXT_PUBLIC_SITE_URL ?? (host ? `https://${host}` : production ? null : LOCAL_SITE))?.replace(/\/+$/, '') ?? null
  const requireSite = (why: string) => siteUrl ?? require(['NUXT_PUBLIC_SITE_URL'], `, but ${why}`)
  const platforms = readPlatforms(values, { require, requireSite, isGiven, siteUrl: siteUrl ?? '' })
  const chatWanted = slackWanted || discordWanted || Object.keys(platforms.chat).length > 0
  const sandbox = values.SANDBOX ?? (!production && !chatWanted)
  if (slackWanted) require(slack, ', but other Slack variables are set')
  if (discordWanted) require(discord, ', but other Discord variables are set')
  if (!chatWanted && !sandbox) require(slack, ` (or set up another platform: ${['Discord', ...morePlatformLabels].join(', ')})`)
  if (isSet('MAIL_API_KEY') || !sandbox) require(mail, '')
  if (production) require(['STORE_URL'], '')
  const forms = readForms(values.FORMS_CONFIG, production ? [...slackWanted ? ['slack'] : [], ...discordWanted ? ['discord'] : [], ...Object.keys(platforms.chat), ...sandbox ? ['sandbox'] : []] : null, problems)
  if (slackWanted) requireWorkspaces(forms, require)
  if (isSet('FORWARD_SIGNING_SECRET') && !Object.values(forms).some(({ endpoint }) => endpoint)) require(['FORWARD_ENDPOINT'], ', but FORWARD_SIGNING_SECRET is set')
  if (isSet('TURNSTILE_VERIFY_URL')) require(['TURNSTILE_SECRET_KEY'], ', but TURNSTILE_VERIFY_URL is set')
  if (values.VERCEL) require(['CRON_SECRET'], ', and without it nothing can do due work here')
  const parts = { ops: readOps(values, require, requireSite), agent: readAgent(values, require), platforms, tools: readTools(values, require) }
  if (production && sandbox && !parts.ops.canSignIn) problems.push('SANDBOX is on in production, where everybody could read and decide there. Set OPS_PASSWORD and NUXT_SESSION_PASSWORD (or another way to sign in), which the sandbox then asks for; or unset SANDBOX.')
  if (problems.length > 0) throw new ConfigError(problems)

  return {
    ...parts,
    production, sandbox, siteUrl,
    host: values.HOST,
    maxBodyBytes: values.MAX_BODY_BYTES ?? 256 * 1024,
    bodies: { memory: values.BODY_MEMORY_BYTES ?? 64 * 1024 * 1024, timeoutMs: values.BODY_TIMEOUT_MS ?? 30_000 },
    form: {
      rateLimit: values.FORM_RATE_LIMIT ?? 60,
      // Vercel's own proxy writes X-Forwarded-For anew: https://vercel.com/docs/headers/request-headers#x-forwarded-for
      trustedProxies: values.TRUST_PROXY ?? (values.VERCEL ? 1 : 0),
      honeypot: values.FORM_HONEYPOT ?? '_gotcha', heldMax: values.HELD_MAX ?? 1000,
      allowedOrigins: values.FORM_ALLOWED_ORIGINS, apiKey: values.FORM_API_KEY,
      turnstile: values.TURNSTILE_SECRET_KEY ? { secretKey: values.TURNSTILE_SECRET_KEY, verifyUrl: values.TURNSTILE_VERIFY_URL } : undefined,
    },
    slack: slackWanted
      ? { botToken: values.CHAT_BOT_TOKEN!, signingSecret: values.CHAT_SIGNING_SECRET!, channelId: values.CHAT_CHANNEL_ID!, apiUrl: values.SLACK_API_URL?.replace(/\/*$/, '/') }
      : undefined,
    discord: discordWanted
      ? {
          botToken: values.PLATFORM2_BOT_TOKEN!, publicKey: values.PLATFORM2_PUBLIC_KEY!, applicationId: values.PLATFORM2_APPLICATION_ID!,
          channelId: values.DISCORD_CHANNEL_ID!, guildId: values.DISCORD_GUILD_ID, apiUrl: values.DISCORD_API_URL?.replace(/\/+$/, ''),
        }
      : undefined,
    storeUrl: values.STORE_URL,
    dataDir: values.DATA_DIR ?? '.data',
    mail: {
      apiKey: values.MAIL_API_KEY, baseUrl: values.RESEND_BASE_URL,
      fromAddress: values.MAIL_FROM_ADDRESS ?? 'forms@example.com', fromName: values.MAIL_FROM_NAME ?? 'Formbot', to: values.FORWARD_EMAIL ?? 'team@example.com',
    },
    endpoint: { url: values.FORWARD_ENDPOINT, signingSecret: values.FORWARD_SIGNING_SECRET },
    forms,
    cronSecret: values.CRON_SECRET,
    serverless: values.VERCEL ?? false,
    cardIntervalMs: values.CARD_INTERVAL_MS,
    retry: { baseMs: values.RETRY_BASE_MS ?? 5000, leaseMs: values.LEASE_MS ?? 30_000, sweepIntervalMs: values.SWEEP_INTERVAL_MS ?? 2000 },
  }
}

/** Which variables are set, by area, and what they are for; never their values. */
export interface ConfigCheck {
  area: string
  variables: { name: string, alias?: string, about: string, where?: string, set: boolean }[]
}

export function checkConfig(env: Environment = process.env): ConfigCheck[] {
  return Object.entries(areas).map(([area, table]) => ({
    area,
    variables: Object.entries<Variable>(table).map(([name, { alias, about, where }]) => ({ name, alias, about, where, set: readText(name as VariableName, env) !== undefined })),
  }))
}

function readVariable(name: VariableName, env: Environment, problems: string[]): unknown {
  const { schema, alias } = variables[name] as { schema: z.ZodType, alias?: string }
  const own = env[name]?.trim() || undefined
  const other = alias ? env[alias]?.trim() || undefined : undefined
  if (own && other && own !== other) {
    problems.push(`${name} and its alias ${alias} are set to different values. Keep one of them.`)
    return undefined
  }
  const value = readText(name, env)
  if (value === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // The value itself stays out of the message: it may be a secret.
  problems.push(`${own ? name : `${name} (set as ${alias})`} is malformed: ${parsed.error.issues[0]?.message}. ${describe(name)}`)
  return undefined
}

/** The text of a variable under its own name or its alias; empty counts as not set. */
function readText(name: VariableName, env: Environment): string | undefined {
  const { alias } = variables[name] as { alias?: string }
  return env[name]?.trim() || (alias && env[alias]?.trim()) || undefined
}

function describe(name: VariableName): string {
  const { about, where } = variables[name] as { about: string, where?: string }
  return where ? `${about} ${where}` : about
}
