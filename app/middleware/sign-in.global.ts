/**
 * Sends whoever has to sign in to do so, and from there to the page that they wanted. The server guards what pages
 * show.
 */
export default defineNuxtRouteMiddleware(async (to) => {
  // A page that does not exist needs no sign-in.
  if (to.matched.length === 0) return
  const { state, refresh } = useSignIn()
  // A server that does not answer is for the page to report.
  const session = state.value ?? await refresh().catch(() => null)
  // Signed in beside a page that waits for it.
  if (to.path === '/sign-in' && 'done' in to.query) return
  if (to.path === '/sign-in') return session?.viewer ? navigateTo(ownPath(to.query.to), { replace: true }) : undefined
  if (session && !session.viewer) return navigateTo(
    { path: '/sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }, { replace: true },
  )
})
