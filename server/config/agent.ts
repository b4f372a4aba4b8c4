import { z } from 'zod'
import type { ModelSettings } from '../adapters/ai/model'
import {
  MOST, base, count, countOrNone, list, text, token, type Require, type Values, type Variable,
} from '../variable'
import { isPerson, peopleExamples } from './people'

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Seconds, or a number with a unit such as `90s`, `30m`, `24h` or `2d`; read as ms. */
const duration = text.regex(/^[1-9]\d{0,8}[smhd]?$/, 'must be a number of seconds or a duration such as 24h')
  .transform(value => Number.parseInt(value) * UNIT_MS[(/[smhd]$/.exec(value)?.[0] ?? 's') as keyof typeof UNIT_MS])
  .pipe(z.number().max(MOST, 'must be at most 24 days'))

/** Person by the platform's id: `slack:U0123456789`, `discord:123456789012345678`. */
const approver = text.refine(isPerson, `each entry names platform and user: ${peopleExamples}`)

export const agentVariables = {
  ESCALATION_MENTION: {
    schema: text,
    about: 'Person or group to mention when somebody asks for human support, in the platform\'s notation, e.g. <!subteam^S0123456789>; each platform uses what it understands. Optional.',
  },
  AI_GATEWAY_API_KEY: {
    schema: token, about: 'API key of the Vercel AI Gateway: the bot becomes an agent. Optional.',
    where: 'https://vercel.com/d?to=/[team]/~/ai/api-keys.',
  },
  VERCEL_OIDC_TOKEN: {
    schema: token,
    about: 'Instead of AI_GATEWAY_API_KEY: the identity token that `vercel env pull` writes. On Vercel itself AI_MODEL is enough.',
  },
  AI_BASE_URL: {
    schema: base,
    about: 'Instead of the gateway: base URL of any server that speaks the OpenAI chat completions protocol, e.g. http://localhost:11434/v1.',
  },
  AI_API_KEY: { schema: token, about: 'API key of the server at AI_BASE_URL, when it wants one.' },
  AI_MODEL: {
    schema: text, usual: text.regex(/^\S+$/, 'must not contain a space'),
    about: 'The model: for the gateway e.g. anthropic/claude-sonnet-4.5 (the default), for AI_BASE_URL as that server calls it.',
  },
  STREAMING_UPDATE_INTERVAL_MS: {
    schema: count,
    about: 'How often a growing answer is edited where the platform cannot stream, in ms. Default: 1000.',
  },
  APPROVAL_TTL: {
    schema: duration,
    about: 'How long the agent waits for the approval of a write: seconds, or e.g. 30m or 24h. Default: 24h.',
  },
  APPROVERS: {
    schema: list.pipe(z.array(approver)),
    about: 'Who may approve what the agent does for somebody else, separated by commas, e.g. slack:U0123456789,discord:123456789012345678. Default: only who asked may.',
  },
  AGENT_APPROVALS: {
    schema: text.regex(/^(ask|deny)$/, 'must be ask or deny').transform(value => value as 'ask' | 'deny'),
    about: 'With deny the agent only reads: every write is refused at once. Default: ask.',
  },
  AGENT_RATE_LIMIT: {
    schema: countOrNone, about: 'How often one person may ask the model within an hour; 0 for no limit. Default: 60.',
  },
  AGENT_MAX_STEPS: { schema: count, about: 'Model calls that one answer may take. Default: 12.' },
  AGENT_TIMEOUT: { schema: duration, about: 'How long one answer may take: seconds, or e.g. 2m. Default: 2m.' },
  AGENT_HISTORY_CHARS: {
    schema: count,
    about: 'How much of the thread the model is given, in characters; older messages are left out. Default: 60000.',
  },
} as const satisfies Record<string, Variable>

export interface AgentConfig {
  /** Mentions in the syntax of the platforms; each platform uses its own. */
  escalationMention?: string
  /** Null without credentials: the conversation is scripted. */
  model: ModelSettings | null
  streamingIntervalMs: number
  approvals: {
    mode: 'ask' | 'deny'
    ttlMs: number
    /** People who may decide in addition to the asker: `platform:user`, or `slack:workspace:user`. */
    approvers: readonly string[]
  }
  /** Messages that the model answers for one person in an hour; 0 for no limit. */
  rateLimit: number
  limits: { steps: number, timeMs: number, historyChars: number }
}

const GATEWAY_MODEL = 'anthropic/claude-sonnet-4.5'

type AgentValues = Values<typeof agentVariables> & { VERCEL?: boolean }

export function readAgent(values: AgentValues, require: Require): AgentConfig {
  return {
    escalationMention: values.ESCALATION_MENTION,
    model: readModel(values, require),
    streamingIntervalMs: values.STREAMING_UPDATE_INTERVAL_MS ?? 1000,
    approvals: {
      mode: values.AGENT_APPROVALS ?? 'ask', ttlMs: values.APPROVAL_TTL ?? 24 * UNIT_MS.h,
      approvers: values.APPROVERS ?? [],
    },
    rateLimit: values.AGENT_RATE_LIMIT ?? 60,
    limits: {
      steps: values.AGENT_MAX_STEPS ?? 12, timeMs: values.AGENT_TIMEOUT ?? 2 * UNIT_MS.m,
      historyChars: values.AGENT_HISTORY_CHARS ?? 60_000,
    },
  }
}

function readModel(
  { AI_BASE_URL, AI_API_KEY, AI_MODEL, AI_GATEWAY_API_KEY, VERCEL_OIDC_TOKEN, VERCEL }: AgentValues, require: Require,
): ModelSettings | null {
  if (AI_BASE_URL) {
    require(['AI_MODEL'], ', but AI_BASE_URL is set')
    const baseUrl = AI_BASE_URL.replace(/(?<!\/)\/+$/, '')
    return { kind: 'compatible', baseUrl, apiKey: AI_API_KEY, name: AI_MODEL ?? '' }
  }
  if (AI_API_KEY) require(['AI_BASE_URL'], ', but AI_API_KEY is set')
  // On Vercel the token is in each request, not in the environment.
  if (!AI_GATEWAY_API_KEY && !VERCEL_OIDC_TOKEN && !(VERCEL && AI_MODEL)) {
    if (AI_MODEL) require(['AI_GATEWAY_API_KEY'], ' (or AI_BASE_URL), but AI_MODEL is set')
    return null
  }
  return { kind: 'gateway', apiKey: AI_GATEWAY_API_KEY, name: AI_MODEL ?? GATEWAY_MODEL }
}
