/** A session that has ended while a page was open: the first answer that says so leads to the sign-in page. */
export default defineNuxtPlugin(() => {
  const { state } = useSignIn()
  const router = useRouter()
  globalThis.$fetch = $fetch.create({
    onResponseError({ response }) {
      if (response.status !== 401 || response._data?.code !== 'SIGN_IN_REQUIRED') return
      state.value = null
      // The middleware does the rest.
      void router.replace({ path: '/sign-in', query: { to: router.currentRoute.value.fullPath } })
    },
  })
})
