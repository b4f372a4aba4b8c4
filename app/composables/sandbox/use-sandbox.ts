export interface SandboxClick { message: SandboxMessage, actionId: string, value?: string }

const WEBHOOK = '/api/webhooks/sandbox'

/** The sandbox room as the server has it, kept current by server-sent events, and the reviewer's actions in it */
export function useSandbox() {
  const state = shallowRef<SandboxState | null>(null)
  const reviewer = useReviewer()
  const { problem, refresh } = useRefresh(async () => {
    state.value = await fetchSandboxState()
  })
  // Only an existing room has events.
  const liveness = useEvents('/api/sandbox/events', () => void refresh(), () => state.value?.revision)

  /** Presses a button of a card; the answer may carry a modal to open. */
  async function click({ message, actionId, value }: SandboxClick): Promise<SandboxModal | null> {
    const body = {
      type: 'action', messageId: message.id, threadId: message.threadId, actionId, value, user: reviewer.user.value,
    }
    const answer = await askOps<{ modal?: SandboxModal } | undefined>(WEBHOOK, body)
    await refresh()
    return answer?.modal ?? null
  }

  async function submitModal(viewId: string, values: Record<string, string>): Promise<SandboxModalAnswer> {
    const body = { type: 'modal_submit', viewId, values, user: reviewer.user.value }
    const answer = await askOps<SandboxModalAnswer | undefined>(WEBHOOK, body)
    await refresh()
    return answer ?? { action: 'close' }
  }

  /** Posts a text in a thread, or in the channel if there is none. */
  async function say(text: string, channel: string, threadId?: string): Promise<void> {
    await askOps(WEBHOOK, { type: 'message', channel, threadId, text, user: reviewer.user.value })
    void refresh()
  }

  return { state, problem, liveness, reviewer, refresh, click, submitModal, say }
}

/** True if the message is in the channel itself; others are in the thread below one. */
export function isRoot({ id, threadId }: SandboxMessage): boolean {
  return threadId.endsWith(`:${id}`)
}

/** @throws Error if the sandbox is off: the server then answers 404, or with the page itself */
async function fetchSandboxState(): Promise<SandboxState> {
  const state = await askOps<SandboxState | string>('/api/sandbox/state')
  if (typeof state !== 'object' || !Array.isArray(state?.messages)) throw new Error('The sandbox is not switched on.')
  return state
}

/** The reviewer in this browser. The name is the identity, so a demo can act as several people, one per tab. */
function useReviewer() {
  const defaultName = 'Ada Lovelace'
  const storedName = useKept('sandbox-reviewer')
  const name = ref(storedName.value || defaultName)
  const user = computed(() => {
    const displayName = name.value.trim() || defaultName
    return { id: `sandbox-${displayName.toLowerCase().replace(/\s+/g, '-')}`, name: displayName }
  })
  watch(user, ({ name }) => storedName.value = name)
  return { name, user }
}

interface FetchError extends Error {
  data: { error?: unknown, line?: RichText, message?: unknown }
  statusCode: number
}

/** Returns the server's own `error` line if it sent one, else something a person can act on. */
export function errorLine(error: unknown): string {
  const { data, statusCode, name, message } = error as Partial<FetchError>
  if (data?.line) return here(data.line)
  const serverError = data?.error
  if (typeof serverError === 'string' && serverError) return serverError
  if (typeof data?.message === 'string' && data.message) return data.message
  if (statusCode) return `The server answered ${statusCode}.`
  // Don't show the message of a request without an answer, such as `[GET] "/api/…": <no response>`.
  const isReadable = message && name !== 'FetchError' && !message.includes('fetch')
  return isReadable ? message : 'The server cannot be reached.'
}
