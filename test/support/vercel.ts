import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, matchesGlob, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../..')
const NUXT = join(createRequire(import.meta.url).resolve('nuxt/package.json'), '../bin/nuxt.mjs')

export interface VercelBuild {
  /** `.vercel/output`. */
  dir: string
  remove: () => Promise<void>
}

/** Builds for Vercel in its own folder, from exactly the files that `.dockerignore` allows into an image's build. */
export async function buildForVercel(): Promise<VercelBuild> {
  const dir = await mkdtemp(join(tmpdir(), 'triage-vercel-'))
  for (const name of await buildContext()) await cp(join(ROOT, name), join(dir, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const { NODE_OPTIONS, VITEST, ...env } = process.env
  await promisify(execFile)(process.execPath, ['--max-semi-space-size=128', NUXT, 'build'], {
    cwd: dir, env: { ...env, NODE_ENV: 'production', NITRO_PRESET: 'vercel' },
  })
  return { dir: join(dir, '.vercel/output'), remove: () => rm(dir, { recursive: true, force: true }) }
}

/** Returns the top-level entries that an image is built from. */
export async function buildContext(): Promise<string[]> {
  const rules = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n').filter(line => line
    && !line.startsWith('#'))
  return (await readdir(ROOT)).filter(name => !rules.some(rule => matchesGlob(name, rule)))
}

export interface Invocation {
  url: string
  /** Resolves when the function is frozen: the answer is sent, and all promises passed to `waitUntil` have settled. */
  frozen: Promise<unknown>
  kill: () => void
}

/** Starts one instance of a built function for one request. */
export async function coldStart(functionDir: string, env: Record<string, string>): Promise<Invocation> {
  const launcher = fileURLToPath(new URL('vercel-launcher.ts', import.meta.url))
  const child = spawn(
    process.execPath, ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', launcher, functionDir],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { PATH: process.env.PATH, ...env } },
  )
  const frozen = once(child, 'exit')
  const [port] = await once(child, 'message') as [number]
  return { url: `http://127.0.0.1:${port}`, frozen, kill: () => child.kill('SIGKILL') }
}
