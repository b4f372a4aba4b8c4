declare module '#pages' {
  const pages: readonly import('../http/pages').Page[]
  export default pages
}

declare module '#nitro-internal-virtual/server-handlers' {
  /** Every route; one without a method takes any, and `handler` of a lazy one loads it. */
  export const handlers: readonly (
    { route?: string, method?: string } & ({ lazy: true, handler: () => Promise<unknown> } | { lazy: false })
  )[]
}
