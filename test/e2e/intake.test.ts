import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockKitProblems, blockText } from '../support/block-kit'
import { cardOf, deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { runs } from '../support/properties'
import { until } from '../support/until'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const d = endAfterAll(await deploy({ MAX_BODY_BYTES: '300000' }))
// Warm up: on a busy machine, the first form may load modules for longer than a sender waits for the card.
await submit(d, { name: 'first' })

async function post(
  body: RequestInit['body'], contentType?: string,
): Promise<{ status: number, json: Record<string, unknown>, headers: Headers }> {
  const response = await fetch(`${d.server.url}/api/form`, {
    method: 'POST', body, headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
  return { status: response.status, headers: response.headers, json: await response.json() as Record<string, unknown> }
}

describe('a JSON object', () => {
  it('is answered with received and a UUID, after its card was posted', async () => {
    // A form waits at most 2.5 s for its card, and a busy machine may need longer.
    const inTime = await until('an answer in time', async () => {
      const began = performance.now()
      const response = await sendForm(d.server, { name: 'Ada', message: 'Hello' })
      const cards = d.slack.requests.filter(({ path, status }) => path === '/api/chat.postMessage' && status === 200)
      const body = await response.json() as { submissionId: string }
      expect([response.status, body]).toEqual([200, { status: 'received', submissionId: expect.stringMatching(UUID) }])
      return performance.now() - began < 2500 && { cards, body }
    })
    expect(inTime.cards.filter(({ body: sent }) => sent.includes(inTime.body.submissionId))).toHaveLength(1)
  })

  it('with hostile keys stays data: __proto__, constructor, empty and unicode keys all show on the card', async () => {
    const response = await sendForm(
      d.server, '{"__proto__":{"polluted":1},"constructor":"c","":"no name","名前":"エイダ","nested":{"a":[1,{"b":null}]}}',
    )
    const { submissionId } = await response.json() as { submissionId: string }
    const shown = blockText((await cardOf(d, submissionId)).blocks)
    for (const text of [
      '__proto__', 'polluted: 1', 'constructor', '(no name)', '名前', 'エイダ', 'a:\n  1\n  2.\n    b:',
    ]) expect(shown).toContain(text)
    expect(shown).not.toContain('[object Object]')
  })

  it('never makes the intake answer 5xx, whatever it holds', async () => {
    await fc.assert(fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), async (data) => {
      const { status } = await post(JSON.stringify(data), 'application/json')
      expect(status).toBe(200)
      expect(blockKitProblems(d.slack.calls('chat.postMessage').at(-1) as never)).toEqual([])
    }), { numRuns: runs(20) })
  })
})

describe('a plain HTML form', () => {
  it('is accepted as multipart, an empty file input left out', async () => {
    // Written as browsers send it; undici's own FormData omits the empty file name.
    const part = (header: string, value: string) => `--x\r\nContent-Disposition: form-data; ${header}\r\n\r\n${value}\r\n`
    const empty = '--x\r\nContent-Disposition: form-data; name="upload"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n'
    const { status, json } = await post(
      `${part('name="name"', 'Ada')}${part('name="name"', 'Grace')}${empty}--x--\r\n`,
      'multipart/form-data; boundary=x',
    )
    expect(status).toBe(200)
    const shown = blockText((await cardOf(d, json.submissionId as string)).blocks)
    expect(shown).toContain('Ada\nGrace')
    expect(shown).not.toContain('upload')
  })

  it('with a file is refused with 415 that names the field', async () => {
    const form = new FormData()
    form.append('cv', new File(['x'], 'cv.pdf'))
    expect(await post(form)).toMatchObject({ status: 415, json: { error: expect.stringContaining('"cv"') } })
  })
})

describe('what is refused', () => {
  it.each<[string, string | Buffer<ArrayBuffer>, string | undefined, number, string | RegExp]>([
    ['a list', '[1]', 'application/json', 400, 'an array'], ['nothing', 'null', 'application/json', 400, 'null'],
    ['malformed JSON', '{"secret-value":}', 'application/json', 400, /^(?!.*secret-value).*not valid JSON/],
    // Accepting another encoding would lose characters.
    ['Latin 1', Buffer.from('{"name":"André"}', 'latin1'), 'application/json', 400, 'not valid UTF-8'],
    ['no type', Buffer.from('name=Ada'), undefined, 415, 'application/json'],
    ['another type', '{}', 'application/jsonx', 415, 'application/json'],
    ['a multipart body without its boundary', 'x', 'multipart/form-data; boundary=x', 400, ''],
    ['a byte too many', JSON.stringify({ a: 'x'.repeat(300_001 - 8) }), 'application/json', 413, '300000 bytes'],
  ])('%s is told what is wrong, which pages of any origin can read', async (_, body, contentType, status, said) => {
    const answer = await post(body, contentType)
    expect(answer).toMatchObject({ status, json: {
      error: typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('GET is 405 with Allow', async () => {
    const response = await fetch(`${d.server.url}/api/form`)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('a body without a length is refused while it is still being sent', async () => {
    const { hostname, port } = new URL(d.server.url)
    const socket = connect(Number(port), hostname)
    let answered = ''
    socket.on('data', (data) => { answered += data.toString() })
    socket.on('error', () => {})
    socket.write('POST /api/form HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n')
    // Never send the last chunk: only an answer sent during the upload can arrive.
    for (let sent = 0; sent < 20; sent++) socket.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`)
    await until('413 before the end of the body', () => answered.includes('413'))
    socket.destroy()
    expect(answered.toLowerCase()).toContain('access-control-allow-origin: *')
  })
})

describe('the request id', () => {
  it('is in the answer and in every log line of the request; one from a proxy is kept, anything else is not', async () => {
    const mine = await sendForm(d.server, { name: 'Ada' }, { 'x-request-id': 'edge-12345678' })
    expect(mine.headers.get('x-request-id')).toBe('edge-12345678')
    const hostile = await sendForm(d.server, { name: 'Ada' }, { 'x-request-id': 'a b"c' })
    expect(hostile.headers.get('x-request-id')).toMatch(UUID)
    const { submissionId: submission } = await mine.json() as { submissionId: string }
    const line = d.server.output().split('\n').find(text => text.includes(submission))
    expect(JSON.parse(line!)).toMatchObject({ request: 'edge-12345678', event: 'submission.received', submission })
  })
})

describe('browsers on any origin', () => {
  it('get a preflight that allows what they ask for', async () => {
    const response = await fetch(`${d.server.url}/api/form`, { method: 'OPTIONS', headers: {
      'origin': 'https://shop.example', 'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    } })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*', 'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': 'authorization, content-type',
    })
  })
})
