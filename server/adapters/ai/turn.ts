import {
  RetryError, type ModelMessage, type StreamTextResult, type TextStreamPart, type ToolCallPart, type ToolSet,
} from 'ai'
import { fromFullStream } from 'chat'
import type { ProposedCall } from '../../ports/approvals'
import type { AgentTurn } from '../../ports/conversation'
import type { Log } from '../../ports/runtime'
import type { Field } from '../../ports/submission'
import { toText, type Toolset } from './toolset'

type Part = TextStreamPart<ToolSet>
// The third parameter does not matter: the agent has no structured output.
type Result = Pick<StreamTextResult<ToolSet, never, never>, 'fullStream' | 'responseMessages'>
type Request = Extract<Part, { type: 'tool-approval-request' }>

interface TurnOptions {
  messages: readonly ModelMessage[]
  toolset: Toolset
  stream: (signal: AbortSignal) => Promise<Result>
  timeMs: number
  ended: () => void
  log: Log
}

type Cause = 'timeout' | 'shutdown' | 'cancelled' | 'length'

const CLOSING_TEXTS: Readonly<Record<Cause | 'failed' | 'filtered' | 'nothing', string>> = {
  failed: 'The language model does not work just now, so this is as far as I came. Please ask again in a moment.',
  timeout: 'This took too long, so I stopped here. Please ask again, perhaps for less at once.',
  shutdown: 'I am being restarted, so I stopped here. Please ask again in a moment.',
  length: 'My answer became too long, so it breaks off here. Please ask for less at once.',
  filtered: 'The language model broke off here: its filter does not let it answer this.',
  cancelled: '',
  nothing: 'I have no answer to that.',
}

/** Causes of an answer that was cut short, by the model's finish reason. */
const END_CAUSES: Readonly<Partial<Record<string, 'length' | 'filtered'>>> = {
  'length': 'length', 'content-filter': 'filtered',
}

/** Max length of an answer, characters. A model that repeats itself would otherwise fill the thread. */
const ANSWER_LENGTH = 40_000

/** Max length of a turn's stored state, characters of JSON. A longer state is stored without attachments. */
const STATE_LENGTH = 1_000_000

/** One run of the model: its text, the cause if the text was cut short, and the calls that wait for approval. */
export class TurnRun implements AgentTurn {
  private readonly abort = new AbortController()
  private readonly requests: Request[] = []
  private result: Result | undefined
  private cutCause: Cause | 'failed' | null = null

  constructor(private readonly options: TurnOptions) {}

  get words(): AsyncIterable<string> {
    return fromFullStream(this.parts()) as AsyncIterable<string>
  }

  cancel(): void {
    this.stop('cancelled')
  }

  stop(cause: Cause): void {
    this.cutCause ??= cause
    this.abort.abort()
  }

  async outcome(): ReturnType<AgentTurn['outcome']> {
    if (this.cutCause || this.requests.length === 0) return { calls: [], state: '', isCut: this.cutCause !== null }
    const { messages, toolset } = this.options
    const state = [...messages, ...await this.result!.responseMessages]
    const describe: Toolset['describe'] = (...call) => toolset.describe(...call).catch(() => ({ details: [] }))
    const calls = await Promise.all(this.requests.map(
      ({ approvalId, toolCall }) => proposedCall(approvalId, toolCall, { ...toolset, describe }),
    ))
    return { calls, state: serializeMessages(state), isCut: false }
  }

  /** Yields the model's parts, followed by our own text if the answer was cut short or is empty. Never throws. */
  private async* parts(): AsyncGenerator<object> {
    const { log, timeMs, ended: onEnd } = this.options
    const timer = setTimeout(() => this.stop('timeout'), timeMs)
    let length = 0
    let hasText = false
    let endCause: 'length' | 'filtered' | undefined
    try {
      for await (const part of this.until(this.abort.signal)) {
        if (part.type === 'error') throw part.error
        if (part.type === 'finish') endCause = END_CAUSES[part.finishReason]
        if (part.type === 'tool-error') {
          log.warn('agent.tool-failed', { tool: part.toolName, ...describeError(part.error) })
        }
        if (part.type === 'tool-approval-request' && !part.isAutomatic) this.requests.push(part)
        if (part.type !== 'text-delta') {
          yield part
          continue
        }
        const remainingLength = ANSWER_LENGTH - length
        length += part.text.length
        hasText ||= part.text.trim() !== ''
        // Leave the other parts as they are: a surrogate pair may be split over two parts.
        yield length > ANSWER_LENGTH ? { ...part, text: part.text.slice(0, remainingLength).toWellFormed() } : part
        if (length > ANSWER_LENGTH) this.stop('length')
      }
    }
    catch (error) {
      if (!this.cutCause) log.error('agent.failed', describeError(error))
      this.cutCause ??= 'failed'
    }
    finally {
      clearTimeout(timer)
      // Stop everything that still runs: nobody will read it.
      if (this.cutCause) this.abort.abort()
      onEnd()
    }
    const cause = this.cutCause ?? endCause ?? (!hasText && this.requests.length === 0 ? 'nothing' : null)
    if (cause) yield* writeParagraph(CLOSING_TEXTS[cause])
  }

  /** Ends when the signal aborts, even if the model and its tools ignore the signal. */
  private async* until(signal: AbortSignal): AsyncGenerator<Part> {
    const aborted = new Promise<null>(resolve => signal.addEventListener('abort', () => resolve(null), { once: true }))
    const result = await Promise.race([this.options.stream(signal), aborted])
    if (!result) return
    this.result = result
    // `responseMessages` rejects if nothing was generated. `outcome` reads it only if something was.
    Promise.resolve(result.responseMessages).catch(() => {})
    const parts = result.fullStream[Symbol.asyncIterator]()
    for (;;) {
      const nextPart = await Promise.race([parts.next(), aborted])
      if (!nextPart || nextPart.done || signal.aborted) return
      yield nextPart.value
    }
  }
}

/** Returns a call as its card shows it now. @throws if the data of the call cannot be read */
export async function proposedCall(
  approvalId: string, { toolCallId, toolName, input }: Pick<ToolCallPart, 'toolCallId' | 'toolName' | 'input'>,
  { tools, describe }: Toolset,
): Promise<ProposedCall> {
  const args = Object.entries((input ?? {}) as object).flatMap(([label, value]) => detailsOf(label, value))
  const { details, ...content } = await describe(toolName, input)
  return {
    approvalId, toolCallId, title: tools[toolName]?.title ?? toolName, ...submissionIn(input), ...content,
    details: [...args, ...details],
  }
}

/** Returns the submission that a call names in its `id` argument. */
function submissionIn(input: unknown): Pick<ProposedCall, 'submission'> {
  const { id } = (input ?? {}) as { id?: unknown }
  return typeof id === 'string' ? { submission: id } : {}
}

/** Returns one detail for an argument, or one for each item of a list of changes, so that every item is visible. */
function detailsOf(label: string, value: unknown): Field[] {
  const changes = Array.isArray(value) ? value as unknown[] : []
  if (changes.length === 0 || !changes.every(isChange)) return [{ label, value: toText(value), edited: false }]
  return changes.map(({ field, value }) => ({
    label: `Change ${field.trim() ? toText(field) : JSON.stringify(field)}`, value: toText(value), edited: false,
  }))
}

function isChange(item: unknown): item is { field: string, value: unknown } {
  const { field, ...rest } = (item ?? {}) as Record<string, unknown>
  return typeof field === 'string' && Object.keys(rest).join() === 'value'
}

/** Returns the facts about an error that may be logged. Its message may quote the conversation. */
function describeError(error: unknown): Record<string, unknown> {
  // A RetryError itself only says that there were retries.
  if (RetryError.isInstance(error)) return describeError(error.lastError)
  const { name, statusCode, code, cause } = (error ?? {}) as Error & { statusCode?: number, code?: string }
  return {
    error: name ?? typeof error, status: statusCode, code: code ?? (cause as { code?: string } | undefined)?.code,
  }
}

/** Yields a paragraph that is not from the model. */
function* writeParagraph(text: string): Generator<object> {
  yield { type: 'finish-step' }
  if (text) yield { type: 'text-delta', text }
}

/** Returns the messages as JSON, without attachments if the JSON would be too long. */
function serializeMessages(messages: readonly ModelMessage[]): string {
  const fullJson = JSON.stringify(messages)
  if (fullJson.length <= STATE_LENGTH) return fullJson
  const replaceAttachment = ({ filename = 'unnamed' }: { filename?: string }) => (
    { type: 'text', text: `[The attachment "${filename}" is left out here.]` }
  )
  return JSON.stringify(messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message
    return { ...message, content: message.content.map(
      part => part.type === 'text' ? part : replaceAttachment(part as object),
    ) }
  }))
}
