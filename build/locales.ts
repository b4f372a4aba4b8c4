import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../locales/', import.meta.url))

const MODULE_ID = '\0locales'

/**
 * Gives the server every file of `locales/` as `#locales`, by language, so that a new language is only a file. Works as
 * a plugin for both Rollup (Nitro) and Vite (Vitest).
 */
export function localesPlugin() {
  return {
    name: 'locales',
    // Vite would look for `#locales` in package.json.
    enforce: 'pre' as const,
    resolveId: (id: string) => id === '#locales' ? MODULE_ID : null,
    load: (id: string) => id === MODULE_ID ? localesModule() : null,
  }
}

/** Returns the code of `#locales`. */
export function localesModule(): string {
  const languages = readdirSync(FOLDER).filter(name => name.endsWith('.json')).map(name => name.slice(0, -5)).sort()
  const imports = languages.map((language, index) => (
    `import locale${index} from ${JSON.stringify(`${FOLDER}${language}.json`)}`
  ))
  const entries = languages.map((language, index) => `${JSON.stringify(language)}: locale${index}`)
  return `${imports.join('\n')}\nexport default { ${entries.join(', ')} }\n`
}
