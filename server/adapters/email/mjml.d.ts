/** Compiled to finished HTML while the server is built; see `mjml-plugin.ts`. */
declare module '*.mjml' {
  const html: string
  export default html
}
