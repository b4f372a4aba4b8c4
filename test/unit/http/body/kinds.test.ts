import { readFileSync } from 'node:fs'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readForm } from '../../../../server/http/body/body'
import { BodyMemory } from '../../../../server/http/body/body-memory'
import { httpEvent } from '../event'

const KIB = 1024
const MAX_BYTES = 256 * KIB
const URLENCODED = 'application/x-www-form-urlencoded'

/** Reads a body as a form without files. */
async function read(body: string | Buffer, type?: string, headers: Record<string, string> = {}) {
  const memory = new BodyMemory(64 * KIB * KIB, 4 * KIB * KIB)
  const event = httpEvent({ ...type !== undefined && { 'content-type': type }, ...headers }, { method: 'POST' })
  const bodyLimits = { memory, uploads: memory, timeoutMs: 1000, trustedProxies: 0 }
  const readers = { readBody: async () => Buffer.from(body), bodyLimits }
  return { ...await readForm(event, readers, MAX_BYTES, null), event }
}

const bodyOf = async (...request: Parameters<typeof read>) => (await read(...request)).body
const refusalOf = (...request: Parameters<typeof read>) => read(...request).then(
  () => 'taken', ({ status = 400, message }: { status?: number, message: string }) => `${status} ${message}`,
)

const JSON_TEXT = '{"name":"Ada & Co","sum":"a=b","10":1,"2":[]}'

describe('JSON', () => {
  test.each([
    undefined, '', 'text/plain', 'text/plain;charset=UTF-8', URLENCODED, `${URLENCODED}; charset=UTF-8`, 'text/json',
    'application/vnd.api+json',
  ])('is read as JSON from the type %j, in the order of its keys', async (type) => {
    const { body, isHtmlForm, wantsPage } = await read(` \n${JSON_TEXT}`, type, { accept: 'text/html' })
    expect(JSON.stringify(body)).toBe(JSON_TEXT)
    expect([isHtmlForm, wantsPage]).toEqual([false, false])
  })

  test.each([
    [URLENCODED, '{"a":1,}', /^400 The body is not valid JSON: it breaks/],
    ['text/plain', '{"a":', /^400 .*ends too early/],
    [undefined, '{"a":1,"a":2}', /^400 The JSON repeats a key/],
    ['text/plain', 'name=Ada\r\n', /^415 .*enctype="text\/plain"/],
    [undefined, 'name=Ada', /^415 .*Content-Type header/], [undefined, '', /^415 /],
    ['application/octet-stream', '{}', /^415 /],
    ['application/json; charset=windows-1252', Buffer.from('{"name":"André"}', 'latin1'), /^400 .*not valid UTF-8/],
    ['text/plain', Buffer.from('{"name":"André"}', 'latin1'), /^400 .*not valid UTF-8/],
  ] as const)('of the type %s, as %j, is refused with why', async (type, body, reason) => {
    expect(await refusalOf(body as string | Buffer, type)).toMatch(reason)
  })

  test('is one object: a form whose first name or value has a brace stays a form', async () => {
    expect(await bodyOf('{a}=1&b={"c":1}', URLENCODED)).toEqual({ '{a}': '1', 'b': '{"c":1}' })
  })
})

describe('an HTML form', () => {
  test.each([
    ['a=1&b=%C3%BC+%2B&a=2&&c', { a: ['1', '2'], b: 'ü +', c: '' }],
    ['2=b&10=c&1=a&__proto__=x', JSON.parse('{"2":"b","10":"c","1":"a","__proto__":"x"}')],
    ['=x&a=b=c&100%=%zz', { '': 'x', 'a': 'b=c', '100%': '%zz' }],
  ])('%s is read as browsers write it', async (text, fields) => {
    const { body, isHtmlForm } = await read(text, URLENCODED)
    expect([body, isHtmlForm]).toEqual([fields, true])
  })

  test('keeps the order of names that are numbers', async () => {
    expect(Object.keys(await bodyOf('2=b&10=c&1=a', URLENCODED) as object)).toEqual(['2', '10', '1'])
  })

  test.each([
    ['text/html,*/*;q=0.8', true], ['*/*', false],
  ])('of a client that accepts %s is for a person: %j', async (accept, isForPerson) => {
    expect((await read('a=1', URLENCODED, { accept })).wantsPage).toBe(isForPerson)
  })

  test.each([
    ['no charset', 'name=J%FCrgen&stra%DFe=%80+5&a=%C3%BC', URLENCODED, { name: 'Jürgen', straße: '€ 5', a: 'ü' }],
    ['raw bytes', Buffer.from('name=Jürgen', 'latin1'), URLENCODED, { name: 'Jürgen' }],
    ['a charset in the header', 'name=%CA%E0%F2%FF', `${URLENCODED}; charset="windows-1251"`, { name: 'Катя' }],
    ['a charset in a field', 'name=%8E%52&_charset_=Shift_JIS', URLENCODED, { name: '山', _charset_: 'Shift_JIS' }],
    ['ISO-8859-1, which browsers take for Windows-1252', 'a=%93x%94', `${URLENCODED};charset=iso-8859-1`, { a: '“x”' }],
    ['UTF-8 that is none', 'name=J%FCrgen', `${URLENCODED}; charset=UTF-8`, { name: 'Jürgen' }],
    ['two charsets, of which the header names one', 'a=%C3%BC&_charset_=koi8-r', `${URLENCODED}; charset=UTF-8`, {
      a: 'ü', _charset_: 'koi8-r',
    }],
    ['two encodings of one name', '%FC=1&%C3%BC=2', URLENCODED, { ü: ['1', '2'] }],
    ['UTF-7, which no browser reads', 'a=%2BADw-', `${URLENCODED}; charset=utf-7`, { a: '+ADw-' }],
    ['UTF-16, in which no form is sent', 'name=Adam', `${URLENCODED}; charset=utf-16`, { name: 'Adam' }],
    ['x-user-defined', 'a=%FC', `${URLENCODED}; charset=x-user-defined`, { a: 'ü' }],
    ['a charset that is none', 'a=%C3%BC', `${URLENCODED}; charset=${'x'.repeat(500)}`, { a: 'ü' }],
  ])('in %s is read as it was meant', async (_, text, type, fields) => {
    expect(await bodyOf(text, type)).toEqual(fields)
  })

  test('has all characters of Windows-1252', async () => {
    const bytes = Array.from({ length: 32 }, (_, index) => `%${(0x80 + index).toString(16)}`).join('')
    expect(await bodyOf(`a=${bytes}`, URLENCODED)).toEqual({
      a: '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ',
    })
  })
})

describe('a multipart form', () => {
  const part = (head: string, value: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const latin = (text: string) => Buffer.from(text, 'latin1')
  const TYPE = 'multipart/form-data; boundary=x'

  test.each<[string, string | Buffer, string, object]>([
    ['no charset', latin(`${part('name="straße"', 'Jürgen')}--x--\r\n`), TYPE, { straße: 'Jürgen' }],
    ['a charset in a field that comes last', latin(
      `${part('name="name"', '\xCA\xE0\xF2\xFF')}${part('name="_charset_"', 'windows-1251')}--x--\r\n`,
    ), TYPE, { name: 'Катя', _charset_: 'windows-1251' }],
    ['a charset in the header', latin(
      `${part('name="a"', '\xCA')}--x--\r\n`,
    ), `${TYPE}; charset=windows-1251`, { a: 'К' }],
    ['a charset of a part', latin(
      `${part('name="a"\r\nContent-Type: text/plain; charset=windows-1251', '\xCA')}${part('name="b"', '\xC3\xBC')}--x--\r\n`,
    ), TYPE, { a: 'К', b: 'ü' }],
    ['UTF-16 of a part', latin(
      `${part('name="a"\r\nContent-Type: text/plain; charset=utf-16', 'A\0d\0')}--x--\r\n`,
    ), TYPE, { a: 'Ad' }],
    ['base64', `${part('name="a"\r\nContent-Transfer-Encoding: BASE64', 'SsO8\r\ncmdlbg==')}--x--\r\n`, TYPE, { a: 'Jürgen' }],
    ['quoted-printable', `${part(
      'name="a"\r\nContent-Transfer-Encoding: quoted-printable', 'J=C3=BCr=\r\ngen=3D',
    )}--x--\r\n`, TYPE, { a: 'Jürgen=' }],
    ['8bit', `${part('name="a"\r\nContent-Transfer-Encoding: 8bit', 'J=C3')}--x--\r\n`, TYPE, { a: 'J=C3' }],
    ['no boundary in its header', `${part('name="a"', 'x\r\n--y')}--x--\r\n`, 'multipart/form-data', { a: 'x\r\n--y' }],
  ])('with %s is read as it was meant', async (_, body, type, fields) => {
    expect(await bodyOf(body, type)).toEqual(fields)
  })

  test.each([
    ['no boundary', 'a=1', 'multipart/form-data', /^400 .*names no boundary/],
    ['a first line without an end', `--${'x'.repeat(5000)}`, 'multipart/form-data', /^400 .*names no boundary/],
    ['an unknown encoding', `${part('name="a"\r\nContent-Transfer-Encoding: uu', 'x')}--x--\r\n`, TYPE, /^415 .*Transfer/],
    ['wrong base64', `${part('name="a"\r\nContent-Transfer-Encoding: base64', '<x>')}--x--\r\n`, TYPE, /^400 .*base64/],
  ])('with %s is refused with why', async (_, body, type, reason) => {
    expect(await refusalOf(body, type)).toMatch(reason)
  })
})

describe('a compressed body', () => {
  const send = (bytes: Buffer, encoding: string) => refusalOf(
    bytes, 'application/json', { 'content-encoding': encoding },
  )

  test.each([
    ['gzip', gzipSync], ['x-gzip', gzipSync], ['GZIP', gzipSync], ['deflate', deflateSync], ['identity', Buffer.from],
  ] as const)('in %s is read', async (encoding, compress) => {
    const bytes = (compress as (text: string) => Buffer)(JSON_TEXT)
    expect(JSON.stringify(await bodyOf(bytes, undefined, { 'content-encoding': encoding }))).toBe(JSON_TEXT)
  })

  test('may be as large as any other, and no larger, however small it is on its way', async () => {
    const sized = (bytes: number) => gzipSync(JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) }))
    expect(await send(sized(MAX_BYTES), 'gzip')).toBe('taken')
    expect(await send(sized(MAX_BYTES + 1), 'gzip')).toMatch(/^413 .*larger than 262144 bytes/)
    expect(await send(gzipSync(Buffer.alloc(100 * KIB * KIB)), 'gzip')).toMatch(/^413 /)
  })

  test.each([
    ['that ends too early', gzipSync(JSON_TEXT).subarray(0, -9), 'gzip', /^400 .*Content-Encoding/],
    ['that is none', Buffer.from(JSON_TEXT), 'gzip', /^400 .*Content-Encoding/],
    ['of nothing', Buffer.alloc(0), 'gzip', /^400 /],
    ['without its head', deflateRawSync(JSON_TEXT), 'deflate', /^400 .*Content-Encoding/],
    ['in another encoding', Buffer.from('x'), 'br', /^415 .*gzip or deflate/],
    ['in two encodings', gzipSync(gzipSync(JSON_TEXT)), 'gzip, gzip', /^415 .*gzip or deflate/],
  ])('%s is refused with why', async (_, bytes, encoding, reason) => {
    expect(await send(bytes, encoding)).toMatch(reason)
  })

  test('with files is refused', async () => {
    const event = httpEvent({ 'content-encoding': 'gzip', 'content-type': 'multipart/form-data; boundary=x' })
    await expect(readForm(event, {} as never, MAX_BYTES, {} as never)).rejects.toThrow('without Content-Encoding')
  })

  test('counts in the memory of bodies by what it may become, until it is answered', async () => {
    const memory = new BodyMemory(MAX_BYTES, MAX_BYTES)
    const bodyLimits = { memory, uploads: memory, timeoutMs: 1000, trustedProxies: 0 }
    const sendCompressed = async () => {
      const event = httpEvent({ 'content-encoding': 'gzip', 'content-type': 'application/json' })
      const readBody = async () => gzipSync(JSON_TEXT)
      const status = await readForm(event, { readBody, bodyLimits }, MAX_BYTES, null).then(
        () => 200, (error: { status: number }) => error.status,
      )
      return { status, event }
    }
    const first = await sendCompressed()
    const second = await sendCompressed()
    expect([first.status, second.status]).toEqual([200, 429])
    for (const { event } of [first, second]) event.node.res.emit('close')
    expect((await sendCompressed()).status).toBe(200)
  })
})

describe('the body of a provider arrives whole', () => {
  const sent = (name: string) => readFileSync(`test/fixtures/providers/${name}.txt`)
  const fields = async (name: string, type: string) => Object.entries(await bodyOf(sent(name), type) as object)

  test('urlencoded, by Elementor', async () => {
    const pairs = sent('elementor-advanced').toString().split('&').map(pair => pair.split('=').map(
      text => decodeURIComponent(text.replaceAll('+', ' ')),
    ))
    expect(await fields('elementor-advanced', URLENCODED)).toEqual(pairs)
  })

  test('multipart, by Jotform', async () => {
    const text = sent('jotform').toString()
    const [boundary] = /^--(.+)\r/.exec(text)!.slice(1)
    const parts = text.split(`--${boundary}`).slice(1, -1).map(
      part => /^\r\nContent-Disposition: form-data; name="([^"]*)"\r\n\r\n([^]*)\r\n$/.exec(part)!.slice(1),
    )
    expect(parts.length).toBeGreaterThan(10)
    expect(await fields('jotform', `multipart/form-data; boundary=${boundary}`)).toEqual(parts)
    expect(await fields('jotform', 'multipart/form-data')).toEqual(parts)
  })

  test('JSON, by Gravity Forms', async () => {
    const text = sent('gravity-forms').toString()
    const keys = Array.from(text.matchAll(/[{,]"([^"]+)":/g), ([, key]) => key)
    expect((await fields('gravity-forms', 'application/json')).map(([key]) => key)).toEqual(keys)
    expect(await bodyOf(text, 'application/json')).toEqual(JSON.parse(text))
  })
})
