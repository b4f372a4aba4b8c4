import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { areas } from '../../server/config'
import { deploy, submit, type Deployment } from '../support/deployment'
import { readDockerfile } from '../support/dockerfile'
import { freePort } from '../support/ports'
import { startProxy } from '../support/proxy'
import { until } from '../support/until'
import { buildContext } from '../support/vercel'

const ROOT = resolve(import.meta.dirname, '../..')
const [build, run] = readDockerfile() as [ReturnType<typeof readDockerfile>[0], ReturnType<typeof readDockerfile>[0]]
/** The user nobody, who exists on every Linux; without root, the test keeps its own user. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
/** Folder of V8's compile cache, in the image */
const CACHE = '.output/server/cache'

describe('the build stage', () => {
  it('copies only files that exist and that .dockerignore lets through', async () => {
    const context = await buildContext()
    for (const source of build.copies.flatMap(({ sources }) => sources)) expect(
      source === '.' || context.includes(source), source,
    ).toBe(true)
    // No secret, no repository, and nobody else's build
    expect(context.filter(name => name.startsWith('.') || name === 'node_modules')).toEqual([])
  })
})

describe('the run stage', () => {
  let dir: string
  let d: Deployment
  let child: ChildProcess | undefined
  const env = () => ({ PATH: join(dir, 'bin'), ...run.env, DATA_DIR: join(dir, 'data') })

  // Simulates an image: the files of the COPY lines, a Node on the PATH, and a user without write access.
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'triage-image-'))
    await chmod(dir, 0o755)
    await mkdir(join(dir, 'bin'))
    await copyFile(process.execPath, join(dir, 'bin/node'))
    for (const { from, sources, target } of run.copies) {
      expect(from).toBe(build.name)
      for (const source of sources) await cp(
        join(ROOT, source.replace(`${build.workdir}/`, '')), join(dir, 'app', target), { recursive: true },
      )
    }
    d = await deploy()
    await d.server.kill()
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    await d.close()
    await rm(dir, { recursive: true, force: true })
  })

  it('holds the built output and no native code, which the build\'s C library would tie it to', async () => {
    expect(await readdir(join(dir, 'app'))).toEqual(['.output'])
    expect(globSync('**/*.node', { cwd: join(dir, 'app/.output') })).toEqual([])
  })

  it('starts by its command as another user, takes a form in, and ends on SIGTERM with 0', async () => {
    const port = String(await freePort())
    const [command, ...args] = run.command!
    child = spawn(command!, args, {
      cwd: join(dir, 'app'), stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...d.env, ...env(), PORT: port, HOST: '127.0.0.1' }, ...OTHER_USER,
    })
    let printed = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => { printed += text })
    await until('the start', () => printed.includes('Listening on'))
    const { card } = await submit({ ...d, server: { ...d.server, url: `http://127.0.0.1:${port}` } }, { name: 'Ada' })
    expect(JSON.stringify(card.blocks)).toContain('Ada')
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  it('starts from what V8 compiled when it was made, though it finds no settings then', async () => {
    const app = join(dir, 'app')
    const asUser = { cwd: app, env: env(), ...OTHER_USER }
    await rm(join(app, CACHE), { recursive: true, force: true })
    await mkdir(join(app, CACHE))
    if (OTHER_USER.uid) await chown(join(app, CACHE), OTHER_USER.uid, OTHER_USER.gid)
    const made = spawn('/bin/sh', ['-c', run.runs[1]!], { ...asUser, stdio: 'ignore' })
    expect(await once(made, 'exit')).toEqual([0, null])
    const [command, ...args] = run.command!
    const started = spawn(command!, args, {
      ...asUser, env: { ...env(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, stdio: ['ignore', 'ignore', 'pipe'],
    })
    const printed = (await Array.fromAsync(started.stderr)).join('')
    expect(printed).toMatch(/code cache for ESM file:\S+\/nitro\.mjs was accepted/)
    expect(printed).not.toContain('was not initialized')
  })

  it('is healthy while GET /api/health answers 200, and not when it answers anything else or nothing', async () => {
    const service = await startProxy()
    const check = () => new Promise<number | null>((resolve) => {
      const [command, ...args] = run.healthcheck!
      spawn(command!, args, { env: { ...env(), PORT: new URL(service.url).port }, ...OTHER_USER }).once('exit', resolve)
    })
    expect(await check()).toBe(0)
    expect(service.requests.map(({ path }) => path)).toEqual(['/api/health'])
    service.fault = () => ({ status: 503 })
    expect(await check()).toBe(1)
    await service.close()
    expect(await check()).toBe(1)
  })
})

describe('compose.yaml', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
    services: { app: Record<string, unknown>, redis: Record<string, unknown> }
  }

  it('sets only variables that the service reads', () => {
    const known = [...Object.values(areas).flatMap(area => Object.keys(area)), 'PORT']
    for (const name of [
      ...Object.keys(services.app.environment as object), ...Object.keys(run.env),
    ]) expect(known).toContain(name)
  })
})

describe('the systemd unit', () => {
  const path = join(ROOT, 'docs/form-triage.service')
  const unit = readFileSync(path, 'utf8')
  const setting = (name: string) => (
    unit.split('\n').filter(line => line.startsWith(`${name}=`)).map(line => line.slice(name.length + 1))
  )

  it('sets only variables that the service reads', () => {
    for (const pair of setting('Environment')[0]!.split(' ')) expect([
      ...Object.values(areas).flatMap(area => Object.keys(area)), 'PORT',
    ]).toContain(pair.split('=')[0])
  })
})
