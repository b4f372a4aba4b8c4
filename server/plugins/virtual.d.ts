declare module '#pages' {
  const pages: readonly import('../http/pages/spa-shell').BuiltPage[]
  export default pages
}

declare module '#nitro-internal-virtual/server-handlers' {
  /** All routes. One without a method takes any method. */
  export const handlers: readonly { route?: string, method?: string }[]
}
