declare module '#page-paths' {
  /** Paths of all pages as the router of Vue writes them, such as `/submissions/:id()`. */
  const paths: readonly string[]
  export default paths
}

declare module '#nitro-internal-virtual/server-handlers' {
  /** Every route; one without a method takes any. */
  export const handlers: readonly { route?: string, method?: string }[]
}
