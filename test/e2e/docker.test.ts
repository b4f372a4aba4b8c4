import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy, submit, type Deployment } from '../support/deployment'
import { readDockerfile } from '../support/dockerfile'
import { freePort } from '../support/ports'
import { startProxy } from '../support/proxy'
import { until } from '../support/until'
import { buildContext } from '../support/vercel'

const ROOT = resolve(import.meta.dirname, '../..')
const [build, run] = readDockerfile() as [ReturnType<typeof readDockerfile>[0], ReturnType<typeof readDockerfile>[0]]
/** User "nobody", which exists on every Linux. Only root can switch to it; otherwise, the test keeps its own user. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
/** Folder of V8's compile cache, in the image */
const CACHE = '.output/server/cache'

it('the build stage sees no secret, no repository and nobody else\'s build', async () => {
  expect((await buildContext()).filter(name => name.startsWith('.') || name === 'node_modules')).toEqual([])
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

  it('is made only if the service starts in it, and starts from what V8 compiled then', async () => {
    const app = join(dir, 'app')
    const asUser = { cwd: app, env: env(), ...OTHER_USER }
    await rm(join(app, CACHE), { recursive: true, force: true })
    await mkdir(join(app, CACHE))
    if (OTHER_USER.uid) await chown(join(app, CACHE), OTHER_USER.uid, OTHER_USER.gid)
    const make = async (entry = 'index.mjs') => {
      const trial = { ...asUser.env, PATH: `${asUser.env.PATH}:/usr/bin:/bin`, PORT: String(await freePort()) }
      const command = run.runs[1]!.replace('index.mjs', entry).replaceAll('/tmp/start', `${dir}-start`)
      return once(spawn('/bin/sh', ['-c', command], { ...asUser, env: trial, stdio: 'ignore' }), 'exit')
    }
    expect(await make('missing.mjs')).toEqual([1, null])
    expect(await make()).toEqual([0, null])
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
