/** Timeout of a request, ms: a connection may die without an error. */
export const ANSWER_MS = 15_000

/** Requests that wait for a new sign-in; null if none do */
const pendingSignIn = shallowRef<PromiseWithResolvers<unknown> | null>(null)

/** Asks the user to sign in again over the page, which stays as it is. Resolves when they are signed in. */
export function signInAgain(): Promise<unknown> {
  return (pendingSignIn.value ??= Promise.withResolvers()).promise
}

/** Message while roles cannot be looked up; the lookup is repeated. */
export const UNSURE = 'Reviewers cannot be looked up just now.'

/** Repeats the session lookup until the viewer and their role are known; the page opens with the first answer. */
export function useWhoLooks(): void {
  const { unsure, refresh } = useSignIn()
  const { refresh: ask } = useRefresh(async () => {
    if (unsure.value) await refresh()
    if (unsure.value) throw new Error(UNSURE)
  })
  watch(unsure, isUnsure => isUnsure && void ask())
}

/** The viewer of the pages, and how they sign in and out */
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
    pendingSignIn.value?.resolve(undefined)
    pendingSignIn.value = null
  }

  /** True if the viewer may decide; others see no buttons */
  const decides = computed(() => state.value?.viewer?.role === 'reviewer')
  /** True if assignment is on. Known before pages are drawn, so that nothing moves. */
  const takes = computed(() => state.value?.takes === true)
  /** True if the viewer or their role is not known yet */
  const unsure = computed(() => state.value === null || state.value.viewer?.role === null)
  const ended = computed(() => pendingSignIn.value !== null)

  return { state, signsIn, decides, takes, unsure, ended, refresh, signIn, signOut, goOn }
}
