/** HTML that is compiled while the server is built; see `build/mjml.ts`. */
declare module '*.mjml' {
  const html: string
  export default html
}
