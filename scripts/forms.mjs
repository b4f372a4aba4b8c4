// Rehearses a configuration's forms: prints mistakes, the destinations of cards and emails, and how both look.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import mjml2html from 'mjml'
import { localesModule } from '../build/locales.ts'

const USAGE = 'npm run forms -- check [forms.config.ts or .json] [samples.json] [--html page.html]'
const root = dirname(dirname(fileURLToPath(import.meta.url)))

const {
  positionals: [command, configPath = 'forms.config.ts', samplesPath], values: { html: htmlPath },
} = parseArguments()
if (command !== 'check') fail(USAGE)
const isJson = configPath.endsWith('.json')
const { rehearse, written } = await loadServerCode()
const { mistakes, forms } = await rehearse({
  config: isJson ? {} : written, path: isJson ? resolve(configPath) : undefined,
  samples: samplesPath === undefined ? {} : readJson(samplesPath), env: process.env,
})

for (const mistake of mistakes) console.log(`✗ ${mistake}`)
for (const { key, name, mistakes, facts, cards, email } of forms) {
  console.log(`\n━━ ${name} (/api/form/${key})\n`)
  for (const mistake of mistakes) console.log(`✗ ${mistake}`)
  for (const fact of facts) console.log(fact)
  for (const { on, text } of cards) console.log(`\n── Card: ${on.join(', ')}\n\n${indent(text)}`)
  console.log(`\n── Email: ${email.subject}\n\n${indent(email.text)}`)
}
if (htmlPath) writeText(htmlPath, renderPage())
const mistakeCount = mistakes.length + forms.reduce((sum, { mistakes }) => sum + mistakes.length, 0)
console.log(
  `\n${forms.length} ${forms.length === 1 ? 'form' : 'forms'}, ${mistakeCount} ${mistakeCount === 1 ? 'mistake' : 'mistakes'}`,
)
process.exitCode = mistakeCount > 0 ? 1 : 0

function parseArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { html: { type: 'string' } } })
  }
  catch (error) {
    return fail(`${error.message}\n${USAGE}`)
  }
}

/** Loads the server's own code, so that the output matches what the server would do. */
async function loadServerCode() {
  // Use one file per process, because two runs may overlap.
  const outfile = `${root}/node_modules/.cache/forms/rehearsal-${process.pid}.mjs`
  const contents = [
    'export { rehearse } from \'./server/composition/rehearsal\'',
    `export { default as written } from ${JSON.stringify(isJson ? `${root}/forms.config.ts` : resolve(configPath))}`,
  ].join('\n')
  mkdirSync(dirname(outfile), { recursive: true })
  try {
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' }, outfile, bundle: true, platform: 'node', format: 'esm',
      packages: 'external', logLevel: 'silent',
      plugins: [{ name: 'mjml', setup: ({ onLoad }) => onLoad({ filter: /\.mjml$/ }, async ({ path }) => ({
        contents: (await mjml2html(readFileSync(path, 'utf8'))).html, loader: 'text',
      })) }, { name: 'locales', setup: ({ onResolve, onLoad }) => {
        onResolve({ filter: /^#locales$/ }, ({ path }) => ({ path, namespace: 'locales' }))
        onLoad({ filter: /^/, namespace: 'locales' }, () => ({ contents: localesModule(), resolveDir: root }))
      } }],
    })
  }
  catch (error) {
    fail(`${configPath} cannot be read: ${error.errors?.[0]?.text ?? error.message}`)
  }
  return import(pathToFileURL(outfile).href).finally(() => rmSync(outfile))
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  }
  catch (error) {
    return fail(`${path} cannot be read: ${error.message}`)
  }
}

function writeText(path, text) {
  try {
    writeFileSync(path, text)
  }
  catch (error) {
    fail(`${path} cannot be written: ${error.message}`)
  }
}

function renderPage() {
  const escapeHtml = text => String(text).replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
  const renderMistakes = mistakes => mistakes.map(mistake => `<p class="wrong">✗ ${escapeHtml(mistake)}</p>`).join('')
  const renderFact = (line) => {
    const [name, ...value] = line.split(': ')
    return `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value.join(': '))}</dd>`
  }
  const sections = forms.map(({ key, name, mistakes, facts, cards, email }) => `<section>
<h2>${escapeHtml(name)} <code>/api/form/${key}</code></h2>
${renderMistakes(mistakes)}
<dl>${facts.map(renderFact).join('')}</dl>
<div class="looks">
<div>${cards.map(({ on, text }) => `<h3>Card: ${escapeHtml(on.join(', '))}</h3><pre>${escapeHtml(text)}</pre>`).join('\n')}</div>
<div><h3>Email: ${escapeHtml(email.subject)}</h3>
<iframe sandbox title="Email of ${escapeHtml(name)}" srcdoc="${escapeHtml(email.html)}"></iframe></div>
</div>
</section>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rehearsal of the forms</title>
<style>:root{color-scheme:light dark}body{max-width:68rem;margin:auto;padding:1rem;font:1rem/1.5 system-ui,sans-serif}
section{margin:2rem 0;padding:0 1.5rem 1.5rem;border:1px solid #8886;border-radius:.75rem}code{font-size:.8em;opacity:.75}
.wrong{margin:.5rem 0;padding:.4rem .8rem;color:#b91c1c;background:#fee2e2;border-radius:.4rem;font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:1rem 0}dt{opacity:.75}dd{margin:0}
h3{margin:1rem 0 .5rem;font-size:.95rem}.looks{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1.5rem}
pre,iframe{box-sizing:border-box;width:100%;margin:0;border:1px solid #8886;border-radius:.5rem}
pre{padding:.8rem 1rem;border-inline-start:4px solid #4f46e5;font:.9rem/1.6 system-ui,sans-serif;white-space:pre-wrap;overflow-wrap:anywhere}
iframe{height:31rem;background:#fff}</style></head>
<body><h1>Rehearsal of the forms</h1>
${renderMistakes(mistakes)}
${sections.join('\n')}
</body></html>
`
}

function indent(text) {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '  ')
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
