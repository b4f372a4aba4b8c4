import type { PrepareStepFunction, ToolSet } from 'ai'
import type { ProposedCall } from '../../ports/approvals'
import type { Conversation } from '../../ports/conversation'
import type { Scope } from '../../ports/board'
import type { SubmissionAccess } from '../../ports/submission-access'
import type { Field } from '../../ports/submission'

export interface Toolset {
  tools: ToolSet
  /** Chooses among them for each step. */
  prepareStep?: PrepareStepFunction<ToolSet>
  /** What a card shows of a call beside its arguments: people decide about facts, not about what the model says. */
  describe(tool: string, input: unknown): Promise<Description>
}

interface Description extends Pick<ProposedCall, 'content'> {
  details: readonly Field[]
}

/** Makes the tools of a conversation: who speaks, in which thread. */
export type MakeToolset = (conversation: Conversation) => Promise<Toolset>

export interface ToolsetParts {
  submissionsAt: (place: Scope) => Pick<SubmissionAccess, 'get'>
  /** What a call replaces that writes a file. */
  replaced: (tool: string, input: unknown) => Promise<readonly Field[]>
  toolsOf: (conversation: Conversation) => ToolSet
  prepareStep: (tools: ToolSet) => PrepareStepFunction<ToolSet>
}

/** Fields of a submission that a card shows, so that nobody approves an id. */
const SHOWN_FIELDS = 4
const SHOWN_LENGTH = 200

/** The seam between the agent and its tools: everything that a conversation may use is put together here. */
export function createToolset({ submissionsAt, replaced, toolsOf, prepareStep }: ToolsetParts): MakeToolset {
  return async (conversation) => {
    const tools = toolsOf(conversation)
    return {
      tools, prepareStep: prepareStep(tools),
      describe: async (tool, input) => {
        const { details, ...content } = await describeSubmission(input, submissionsAt(conversation.place))
        return { details: [...await replaced(tool, input), ...details], ...content }
      },
    }
  }
}

async function describeSubmission(input: unknown, submissions: Pick<SubmissionAccess, 'get'>): Promise<Description> {
  const { id } = (input ?? {}) as { id?: unknown }
  if (typeof id !== 'string') return { details: [] }
  const submission = await submissions.get(id)
  if (!submission) {
    return { details: [{ label: 'Submission', value: 'There is none with this id any more.', edited: false }] }
  }
  const { fields, content } = submission
  return { content, details: fields.slice(0, SHOWN_FIELDS).map(({ label, value }) => (
    { label: `Submission: ${label}`, value: value.slice(0, SHOWN_LENGTH).toWellFormed(), edited: false }
  )) }
}

/** As people read it. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}
