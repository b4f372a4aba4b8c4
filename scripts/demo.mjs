// Builds the service, starts it with embedded defaults on loopback, sends two sample forms, and prints where to look.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'

const ENTRY = '.output/server/index.mjs'
const SOURCES = [
  'app', 'build', 'locales', 'pages', 'public', 'server', 'shared', 'forms.config.ts', 'nuxt.config.ts',
  'package-lock.json',
]
const SAMPLE = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.\nDelivery to London.', quantity: 2, newsletter: false,
}

if (!existsSync(ENTRY) || SOURCES.some(path => findNewestMtime(path) > statSync(ENTRY).mtimeMs)) build()
const port = await findFreePort(Number(process.env.PORT) || 3000)
const site = `http://localhost:${port}`
// Each demo in this folder, one per port, has its own data.
const dataDir = `.data/demo-${port}`
rmSync(dataDir, { recursive: true, force: true })

const server = spawn(process.execPath, [ENTRY], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'development', SANDBOX: '1', HOST: '127.0.0.1',
    PORT: String(port), NUXT_PUBLIC_SITE_URL: site, DATA_DIR: dataDir,
    FORMS_CONFIG: 'docs/sample/demo.json', UNDO_SECONDS: '10', SPAM_HOLD: '1h', TAKE: '1',
    ...process.env.LOCALE && { LOCALE: process.env.LOCALE },
    // Allows several runs of the sandbox's sixty forms a minute
    FORM_RATE_LIMIT: '600',
  },
})
server.on('exit', code => process.exit(code ?? 0))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))

const answer = await sendSample()
await sendDrawing()
console.log(`
  The sample form was received as ${answer.submissionId}, and an order with a drawing. Their cards are here:

    ${site}/sandbox

  Send another one:

    curl ${site}/api/form -H 'content-type: application/json' -d '{"name":"Grace Hopper","email":"grace@example.com","message":"Found a moth."}'

  Stop with Ctrl+C.
`)

async function sendSample() {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/form`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(SAMPLE),
      })
      return await response.json()
    }
    catch (error) {
      if (attempt === 100) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

/** Sends a form with a picture, which its card shows. */
async function sendDrawing() {
  const form = new FormData()
  for (const [key, value] of Object.entries({
    name: 'Grace Hopper', email: 'grace@example.com', message: 'Can you build this?',
  })) form.append(key, value)
  form.append('drawing', new Blob([readFileSync('docs/sample/drawing.png')]), 'drawing.png')
  await fetch(`http://127.0.0.1:${port}/api/form/orders`, { method: 'POST', body: form })
}

function build() {
  console.log('Building the service (about half a minute the first time)…')
  const nuxt = join(createRequire(import.meta.url).resolve('nuxt/package.json'), '../bin/nuxt.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath, [nuxt, 'build'], { encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  )
  if (status === 0) return
  console.error(stdout, stderr)
  process.exit(1)
}

/** Returns the time of the newest file at or below a path, epoch ms; 0 if there is none. */
function findNewestMtime(path) {
  if (!existsSync(path)) return 0
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs
  return readdirSync(path, { recursive: true }).reduce(
    (latest, file) => Math.max(latest, statSync(join(path, file)).mtimeMs), 0,
  )
}

/** Returns the preferred port, or any free port if that one is taken. */
function findFreePort(preferredPort) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(findFreePort(0)))
    probe.listen(preferredPort, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
