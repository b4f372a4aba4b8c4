import type { PrepareStepFunction, ToolSet } from 'ai'
import type { ProposedCall } from '../../ports/approvals'
import type { Conversation } from '../../ports/conversation'
import type { Scope } from '../../ports/board'
import type { SubmissionAccess } from '../../ports/submission-access'
import type { Field } from '../../ports/submission'

export interface Toolset {
  tools: ToolSet
  /** Chooses among the tools for each step. */
  prepareStep?: PrepareStepFunction<ToolSet>
  /** Returns facts that a call's card shows beside the arguments: people decide on facts, not on the model's words. */
  describe(tool: string, input: unknown): Promise<Description>
}

interface Description extends Pick<ProposedCall, 'content'> {
  details: readonly Field[]
}

/** Creates the tools for a conversation. They depend on the speaker and the thread. */
export type MakeToolset = (conversation: Conversation) => Promise<Toolset>

export interface ToolsetParts {
  submissionsAt: (place: Scope) => SubmissionAccess
  /** Returns details of the file that a call would replace. */
  replaced: (tool: string, input: unknown) => Promise<readonly Field[]>
  toolsOf: (conversation: Conversation) => ToolSet
  prepareStep: (tools: ToolSet) => PrepareStepFunction<ToolSet>
}

/** Max fields of a submission on an approval card. With no fields, people would have to approve a bare id. */
const SHOWN_FIELDS = 4
const SHOWN_LENGTH = 200

/** Returns a function that creates the tools for a conversation. */
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

async function describeSubmission(input: unknown, submissions: SubmissionAccess): Promise<Description> {
  const { id } = (input ?? {}) as { id?: unknown }
  if (typeof id !== 'string') return { details: [] }
  const submission = await submissions.get(id)
  if (!submission) {
    return { details: [{ label: 'Submission', value: 'No submission has this id any more.', edited: false }] }
  }
  const { fields, content } = submission
  return { content, details: fields.slice(0, SHOWN_FIELDS).map(({ label, value }) => (
    { label: `Submission: ${label}`, value: value.slice(0, SHOWN_LENGTH).toWellFormed(), edited: false }
  )) }
}

/** Returns a value as text for people. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}
