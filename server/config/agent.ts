import { text, type Require, type Values, type Variable } from './variable'

/** The conversation and its model. */
export const agentVariables = {
  ESCALATION_MENTION: { schema: text, about: 'Who is mentioned when somebody asks for human support, as the platform writes it, e.g. <!subteam^S0123456789>; each platform takes what it understands. Optional.' },
} as const satisfies Record<string, Variable>

export interface AgentConfig {
  /** Mentions as the platforms write them; each takes its own. */
  escalationMention?: string
}

export function readAgent(values: Values<typeof agentVariables>, _require: Require): AgentConfig {
  return { escalationMention: values.ESCALATION_MENTION }
}
