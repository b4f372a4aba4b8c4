/** After so much silence, in ms, there is no answer: a connection may be dead without a word. */
export const ANSWER_MS = 15_000

/** Whoever waits for somebody to sign in again; null while nobody has to. */
const waiting = shallowRef<PromiseWithResolvers<unknown> | null>(null)

/** The session has ended: asks for another over the page, which stays as it is. Resolves when somebody is signed in. */
export function signInAgain(): Promise<unknown> {
  return (waiting.value ??= Promise.withResolvers()).promise
}

/** What nobody can tell now is asked again. */
export const UNSURE = 'Who may decide cannot be looked up just now.'

/** Asks who looks, and whether they decide, until that is known: the page opens with what was answered at first. */
export function useWhoLooks(): void {
  const { unsure, refresh } = useSignIn()
  const { refresh: ask } = useRefresh(async () => {
    if (unsure.value) await refresh()
    if (unsure.value) throw new Error(UNSURE)
  })
  watch(unsure, is => is && void ask())
}

/** Who is looking at the pages, and how they sign in and out. */
export function useSignIn() {
  const state = useState<SessionState | null>('sign-in', () => null)
  const signsIn = computed(() => state.value !== null && (state.value.password || state.value.platforms.length > 0))

  async function refresh(): Promise<SessionState> {
    return state.value = await $fetch<SessionState>('/api/auth/session', { timeout: ANSWER_MS, retry: 0 })
  }

  async function signIn(credentials: { name: string, password: string }): Promise<void> {
    await $fetch('/api/auth/sign-in', { method: 'POST', body: credentials, timeout: ANSWER_MS })
    const { viewer, refused } = await refresh()
    if (!viewer) throw new Error(
      refused ?? 'The password is right, but your browser did not keep the session. Open this site by https, and allow its cookies.',
    )
  }

  async function signOut(): Promise<void> {
    await $fetch('/api/auth/sign-out', { method: 'POST', body: {}, timeout: ANSWER_MS })
    state.value = null
    await navigateTo('/sign-in')
  }

  function goOn(): void {
    waiting.value?.resolve(undefined)
    waiting.value = null
  }

  /** Nobody else sees a button. */
  const decides = computed(() => state.value?.viewer?.role === 'reviewer')
  /** People take what waits. Pages know it before they are drawn, so that nothing of them moves for it. */
  const takes = computed(() => state.value?.takes === true)
  /** Nobody could tell yet who looks, or whether they decide. */
  const unsure = computed(() => state.value === null || state.value.viewer?.role === null)
  const ended = computed(() => waiting.value !== null)

  return { state, signsIn, decides, takes, unsure, ended, refresh, signIn, signOut, goOn }
}
