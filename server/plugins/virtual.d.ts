declare module '#pages' {
  const pages: readonly import('../http/pages/spa-shell').BuiltPage[]
  export default pages
}

declare module '#nitro-internal-virtual/server-handlers' {
  /** Every route; one without a method takes any. */
  export const handlers: readonly { route?: string, method?: string }[]
}
