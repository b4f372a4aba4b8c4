import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

type Json = Record<string, unknown>

/** One answer of the model */
interface ModelAnswer {
  /** Text before the calls; a list is sent piece by piece. */
  text?: string | readonly string[]
  calls?: readonly { name: string, input: unknown, id?: string }[]
  /** Pause between the pieces of the text, ms */
  pauseMs?: number
  /** Called before every piece except the first, with the text sent so far; the piece waits for the promise. */
  pace?: (said: string) => Promise<unknown>
  /** HTTP error, sent instead of an answer */
  status?: number
  /** Reason for an early end */
  finish?: 'length' | 'content_filter'
  /** Sent after the text: an error in the stream, a broken connection, or silence */
  end?: 'error' | 'drop' | 'hang'
}

interface ModelMessage {
  role: string
  content: unknown
  tool_call_id?: string
  tool_calls?: { id: string, function: { name: string, arguments: string } }[]
}

/** One call as received */
interface ModelRequest {
  model: string
  /** Without the system message */
  messages: ModelMessage[]
  instructions: string
  /** Names of the offered tools */
  tools: string[]
  toolChoice?: unknown
  authorization?: string
}

export interface ModelServer {
  url: string
  requests: ModelRequest[]
  /** Sets the answers to the next calls, in this order; a function chooses its answer by the request. */
  script: (...answers: (ModelAnswer | ((request: ModelRequest) => ModelAnswer))[]) => void
  /** Number of scripted answers not used yet */
  left: () => number
  close: () => Promise<void>
}

/** Starts a server on loopback that speaks OpenAI's streaming chat completions protocol, scripted by the test. */
export async function startModelServer(): Promise<ModelServer> {
  const queue: (ModelAnswer | ((request: ModelRequest) => ModelAnswer))[] = []
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => request.socket.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      model: string
      messages: ModelMessage[]
      tools?: { function: { name: string } }[]
      tool_choice?: unknown
      stream?: boolean
    }
    const problem = problemOf(body)
    const instructions = body.messages.filter(({ role }) => role === 'system')
    const recorded: ModelRequest = {
      model: body.model, toolChoice: body.tool_choice, authorization: request.headers.authorization,
      instructions: instructions.map(({ content }) => String(content)).join('\n'),
      messages: body.messages.filter(({ role }) => role !== 'system'),
      tools: (body.tools ?? []).map(tool => tool.function.name),
    }
    model.requests.push(recorded)
    const next = queue.shift()
    const answer = typeof next === 'function' ? next(recorded) : next ?? { status: 500 }
    const status = problem ? 400 : answer.status
    if (status) {
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(
        JSON.stringify({ error: { message: problem ?? 'The server had an error.', type: 'server_error' } }),
      )
    }
    await stream(response, answer)
  }

  async function stream(
    response: ServerResponse, { text = '', calls = [], pauseMs, pace, finish, end }: ModelAnswer,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (data: unknown) => (
      response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    )
    const chunk = (delta: Json, finish: string | null = null) => send({
      id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    chunk({ role: 'assistant', content: '' })
    let said = ''
    for (const piece of typeof text === 'string' ? (text ? [text] : []) : text) {
      if (said) await pace?.(said)
      chunk({ content: piece })
      said += piece
      if (pauseMs) await wait(pauseMs)
      if (response.destroyed) return
    }
    if (end === 'hang') return
    if (end === 'drop') {
      // Give the network time to send the written text.
      await wait(50)
      return void response.destroy()
    }
    if (end === 'error') {
      send({ error: { message: 'Overloaded', type: 'server_error' } })
      return void response.end()
    }
    for (const [index, { name, input, id = `call_${++called}` }] of calls.entries()) {
      const [head, tail] = halves(JSON.stringify(input))
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: head } }] })
      chunk({ tool_calls: [{ index, function: { arguments: tail } }] })
    }
    chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
    send('[DONE]')
    response.end()
  }

  let called = 0
  const model: ModelServer = {
    url: '', requests: [],
    script: (...answers) => {
      queue.splice(0, queue.length, ...answers)
      model.requests.length = 0
    },
    left: () => queue.length,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return model
}

/** Returns the problem that a real server answers with 400: every tool call needs its result, every result its call. */
function problemOf({ messages, stream }: {
  messages: { role: string, tool_calls?: { id: string }[], tool_call_id?: string }[]
  stream?: boolean
}): string | null {
  if (!stream) return 'Only streaming is scripted.'
  const open = new Set<string>()
  for (const { role, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (role === 'tool' && !open.delete(id ?? '')) return `A tool message without its call: ${id}`
    if (role !== 'tool' && open.size > 0) return `Tool calls without results: ${[...open].join(', ')}`
    for (const call of calls) open.add(call.id)
  }
  return open.size > 0 ? `Tool calls without results: ${[...open].join(', ')}` : null
}

function halves(text: string): [string, string] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
