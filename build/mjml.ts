/**
 * Compiles `*.mjml` to a module with its HTML at build time, so that production does not need the compiler. Works as a
 * plugin for both Rollup (Nitro) and Vite (Vitest).
 */
export function mjmlPlugin() {
  return {
    name: 'mjml',
    async transform(this: { error: (message: string) => never }, source: string, id: string) {
      if (!id.endsWith('.mjml')) return null
      const { default: mjml2html } = await import('mjml')
      const { html, errors } = await mjml2html(source, { validationLevel: 'strict' })
      if (errors.length > 0) this.error(`${id}: ${errors.map(error => error.formattedMessage).join('\n')}`)
      return { code: `export default ${JSON.stringify(html)}`, map: null }
    },
  }
}
