/**
 * Sends users who have to sign in to the sign-in page, and back to their page afterwards. The server itself guards the
 * data of pages.
 */
export default defineNuxtRouteMiddleware(async (to) => {
  // A missing page needs no sign-in.
  if (to.matched.length === 0) return
  const { state, refresh } = useSignIn()
  // If the server does not answer, the page reports that.
  const session = state.value ?? await refresh().catch(() => null)
  // A tab opened for the sign-in by a page that waits for it
  if (to.path === '/sign-in' && 'done' in to.query) return
  if (to.path === '/sign-in') return session?.viewer ? navigateTo(ownPath(to.query.to), { replace: true }) : undefined
  if (session && !session.viewer) return navigateTo(
    { path: '/sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }, { replace: true },
  )
})
