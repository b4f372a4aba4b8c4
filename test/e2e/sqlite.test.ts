import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { cardOf, click, deploy, sendForm, submit, submitForm, type Deployment } from '../support/deployment'
import { endAfterTest, testFolder } from '../support/lifetime'
import { runToExit, startServer, type Server } from '../support/server'
import { until } from '../support/until'
import { PASSWORD, visit, type Visitor } from '../support/visitor'

let path: string
let d: Deployment
beforeEach(async () => {
  path = join(testFolder(), 'data', 'forms.db')
  d = endAfterTest(await deploy({ STORE_URL: `sqlite:${path}`, LEASE_MS: '4000' }))
})

async function signIn(server: Server): Promise<Visitor> {
  const visitor = visit(server)
  expect((await visitor.signIn(PASSWORD)).status).toBe(200)
  return visitor
}

const json = async <T>(answer: Promise<Response>) => await (await answer).json() as T

/** Ids of all pending submissions, as the pages list them */
async function pendingIds(visitor: Visitor): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { rows: { id: string }[], cursor: string | null } = await json(
      visitor.get(`/api/submissions?limit=100${cursor && `&before=${encodeURIComponent(cursor)}`}`),
    )
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.cursor
  }
  return ids.sort()
}

async function restart(): Promise<void> {
  await d.server.kill()
  d.server = await startServer(d.env)
}

/** Everything in the files of the store */
const contents = () => ['', '-wal', '-shm', '-lock'].map(suffix => path + suffix).filter(file => existsSync(file)).map(
  file => readFileSync(file, 'latin1'),
).join('\n')

describe('the file', () => {
  it('is refused to a second server, which names the first; that goes on, and once it is killed the file is free', async () => {
    const { id } = await submit(d, { name: 'Ada' })
    const { code, output } = await runToExit(d.env)
    expect([code, output]).toEqual([1, expect.stringContaining(`in use by another process (${d.server.pid})`)])
    expect((await sendForm(d.server, { name: 'Grace' })).status).toBe(200)
    await restart()
    await click(d, await cardOf(d, id), 'forward', id)
    expect(await d.resend.emails()).toHaveLength(1)
  })

  it('keeps all forms that were accepted before a SIGKILL, and posts a card of each', async () => {
    let accepted = 0
    const send = async (number: number) => {
      const id = await submitForm(d.server, { name: `Person ${number}` })
      accepted++
      return id
    }
    const sent = Array.from({ length: 100 }, (_, number) => send(number).catch(() => null))
    await until('some of them accepted', () => accepted >= 20)
    await d.server.kill()
    const ids = (await Promise.all(sent)).filter(id => id !== null)
    expect(ids.length).toBeGreaterThanOrEqual(20)
    d.server = await startServer(d.env)
    const pending = await pendingIds(await signIn(d.server))
    expect(pending).toEqual(expect.arrayContaining(ids))
    await until('every card', async () => {
      const cards = JSON.stringify(d.slack.calls('chat.postMessage'))
      return pending.every(id => cards.includes(id))
    })
  })

  it('stops the start if it is damaged, and says how to restore it', async () => {
    await submit(d, { name: 'Ada' })
    expect(await d.server.stop()).toBe(0)
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(8192, 7), bytes.subarray(12_288)]))
    const { code, output } = await runToExit(d.env)
    expect([code, output]).toEqual([1, expect.stringMatching(/STORE_URL.*is damaged.*Put a backup in its place.*\.recover/)])
  })

  it('stops the start if it belongs to another program, and is left as it was', async () => {
    const other = join(testFolder(), 'other.db')
    const db = new DatabaseSync(other)
    db.exec('CREATE TABLE theirs (value TEXT); INSERT INTO theirs VALUES (\'kept\')')
    db.close()
    const before = readFileSync(other)
    const { code, output } = await runToExit({ ...d.env, STORE_URL: `sqlite:${other}` })
    expect([code, output]).toEqual([1, expect.stringMatching(/is a database of another program.*STORE_URL/)])
    expect(readFileSync(other).equals(before)).toBe(true)
  })
})

describe('a disk without room', () => {
  /** Largest size of any file that the server may write, bytes */
  const limitFiles = (size: number | 'unlimited') => (
    execFileSync('prlimit', ['--pid', String(d.server.pid), `--fsize=${size}:`])
  )

  it('refuses forms with 503 and is named on the status; with room again, everything works and nothing was lost', async () => {
    const visitor = await signIn(d.server)
    const { id, card } = await submit(d, { name: 'before' })
    await d.server.drain()
    limitFiles(1)
    const refused = await sendForm(d.server, { name: 'refused' })
    expect([refused.status, await refused.json()]).toEqual([
      503, expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    ])
    const status = await json<{ refusingSince: number | null, parts: object[] }>(visitor.get('/api/status'))
    expect(status.refusingSince).toEqual(expect.any(Number))
    expect(JSON.stringify(status.parts)).toContain('The disk of STORE_URL reports an error, or is full')
    const ready = await visitor.get('/api/ready')
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ ready: false })])
    expect(await pendingIds(visitor)).toEqual([id])

    limitFiles('unlimited')
    const after = await submitForm(d.server, { name: 'after' })
    expect((await visitor.get('/api/ready')).status).toBe(200)
    expect(await pendingIds(visitor)).toEqual([id, after].sort())
    await click(d, card, 'forward', id)
    expect(await d.resend.emails()).toHaveLength(1)
    expect(d.server.output()).not.toMatch(/unhandled|uncaught/i)
  })
})

describe('a backup', () => {
  it('is made while forms arrive, has all that were accepted before, and another server starts from it', async () => {
    const before = await Promise.all(Array.from({ length: 50 }, () => submitForm(d.server, { name: 'before' })))
    const copy = join(testFolder(), 'copy.db')
    const source = new DatabaseSync(path, { readOnly: true })
    let isDone = false
    const copied = backup(source, copy, { rate: 5 }).finally(() => { isDone = true })
    const during: string[] = []
    do during.push(await submitForm(d.server, { name: 'during' })); while (!isDone)
    await copied
    source.close()
    const restored = endAfterTest(await startServer({ ...d.env, STORE_URL: `sqlite:${copy}` }))
    const ids = await pendingIds(await signIn(restored))
    expect(ids).toEqual(expect.arrayContaining(before))
    expect([...before, ...during]).toEqual(expect.arrayContaining(ids))
    expect((await sendForm(restored, { name: 'next' })).status).toBe(200)
  })
})

describe('form data', () => {
  it('is in no file of the store soon after it is erased or forwarded', async () => {
    const visitor = await signIn(d.server)
    const [erased, forwarded] = [await submit(d, { name: 'erased-name' }), await submit(d, { name: 'forwarded-name' })]
    expect(contents()).toMatch(/erased-name[^]*forwarded-name|forwarded-name[^]*erased-name/)
    await click(d, forwarded.card, 'forward', forwarded.id)
    expect((await visitor.delete(`/api/submissions/${erased.id}`)).status).toBe(200)
    await d.server.drain()
    await until('the files without it', () => !/erased-name|forwarded-name/.test(contents()))
  })
})

it('announces changes to the ops page', async () => {
  const visitor = await signIn(d.server)
  const events = await visitor.get('/api/submissions/events')
  let heard = ''
  const read = events.body!.pipeTo(new WritableStream({
    write: (bytes: Uint8Array) => { heard += new TextDecoder().decode(bytes) },
  })).catch(() => { /* The server is killed at the end. */ })
  const id = await submitForm(d.server, { name: 'Ada' })
  await d.server.drain()
  // The first message stands for all changes of the first moments.
  await until('the first message', () => heard.includes('event: changed'))
  await click(d, await cardOf(d, id), 'spam', id)
  await until('the change', () => heard.includes(id))
  await d.server.kill()
  await read
})
