import { describe, expect, test } from 'vitest'
import { idempotencyDigest, screen } from '../../../../server/domain/intake/intake'
import type { StoredFile } from '../../../../server/ports/files'
import type { Sender } from '../../../../server/ports/sender'
import type { Outcome } from '../../../../server/ports/delivery'
import { failing, ok } from '../../../fakes/board'
import { testContext } from '../../../fakes/context'

const SENDER: Sender = {
  group: '203.0.113.7', client: '203.0.113.7', address: '203.0.113.7', trusted: false, hasFiles: false,
}

/** Screens with a honeypot and, if `answer` is given, a human check with that answer. */
async function screened(
  body: unknown, { answer, sender = SENDER, hold }: { answer?: Outcome, sender?: Sender, hold?: boolean } = {},
) {
  const logged: unknown[][] = []
  const checkCalls: unknown[][] = []
  const note = (...line: unknown[]) => void logged.push(line)
  const verify = async (...args: unknown[]) => {
    checkCalls.push(args)
    return answer!
  }
  const result = await screen(body, sender, testContext({
    humanCheck: answer ? { field: 'token', verify } : null, log: { info: note, warn: note, error: note },
  }), { form: { labels: {}, hold }, attemptKey: 'attempt' })
    .catch((error: { code: string, message: string }) => ({ code: error.code, message: error.message }))
  return { result, logged, checkCalls }
}

describe('the honeypot', () => {
  test.each([
    'spam', ' x ', 0, 1, true, {}, ['', 'x'],
  ])('filled with %j has the form held, without itself, and logs no value', async (value) => {
    const { result, logged } = await screened({ name: 'secret', _gotcha: value })
    expect(result).toEqual({ data: { name: 'secret' }, held: true })
    expect(logged).toEqual([['intake.honeypot']])
  })

  test.each([
    '', '  ', null, false, [], ['', ''],
  ])('left empty as %j is taken out, the rest stays in order', async (value) => {
    const { result, logged } = await screened(
      JSON.parse(`{"b":1,"__proto__":{"x":1},"_gotcha":${JSON.stringify(value)},"a":2}`),
    )
    expect(JSON.stringify(result)).toBe('{"data":{"b":1,"__proto__":{"x":1},"a":2},"held":false}')
    expect(logged).toEqual([])
  })

  test('is no inherited property', async () => {
    const trap = await screen(
      { name: 'Ada' }, SENDER, testContext({ honeypot: 'constructor' }), { form: { labels: {} } },
    )
    expect(trap).toEqual({ data: { name: 'Ada' }, held: false })
  })

  test.each([null, 'text', 5, [{ _gotcha: 'x' }]])('is looked for in objects only: %j passes', async (body) => {
    expect((await screened(body, { answer: ok })).result).toEqual({ data: body, held: false })
  })
})

describe('a form in which nothing is filled in', () => {
  const send = async (body: unknown, wantsPage = true, files: readonly StoredFile[] = []) => screen(
    body, SENDER, testContext(), { form: { labels: {} }, files, isHtmlForm: true, wantsPage },
  ).then(({ held }) => held, (error: { code: string }) => error.code)

  test.each([
    {}, { name: '', message: ' \r\n ' }, { tag: ['', ''] }, { _next: 'https://shop.example/', _gotcha: '' },
    { 'utf8': '✓', 'authenticity_token': 'abc', 'contact[name]': '' },
  ])('is refused if a person sent it, as %j', async body => expect(await send(body)).toBe('EMPTY_FORM'))

  test('is taken from a script, with a file, and of a program in the honeypot', async () => {
    const file = { field: 'cv', name: 'cv.txt', type: 'text/plain', size: 1, sha256: '' }
    expect([await send({ name: '' }, false), await send({ name: '' }, true, [file])]).toEqual([false, false])
    expect(await send({ form_name: 'VIP', account_id: '99' })).toBe(false)
    expect([await send({ _gotcha: 'x' }), await send({ name: '0' })]).toEqual([true, false])
  })
})

describe('the human check', () => {
  test('passed takes the token out, and was told the address and the key of the attempt', async () => {
    const { result, checkCalls } = await screened({ name: 'Ada', token: 't', _gotcha: '' }, { answer: ok })
    expect(result).toEqual({ data: { name: 'Ada' }, held: false })
    expect(checkCalls).toEqual([['t', { address: '203.0.113.7', attemptKey: 'attempt' }]])
  })

  test.each([undefined, '', null, 5, ['a', 'b']])('with %j as token is missing, and nobody is asked', async (token) => {
    const { result, checkCalls } = await screened({ name: 'Ada', token }, { answer: ok })
    expect(result).toMatchObject({ code: 'HUMAN_CHECK_FAILED', message: expect.stringContaining('token') })
    expect(checkCalls).toEqual([])
  })

  test('refused is told to the sender', async () => {
    expect(
      (await screened({ token: 't' }, { answer: failing('The token is old.', { permanent: true }) })).result,
    ).toEqual({ code: 'HUMAN_CHECK_FAILED', message: 'The token is old.' })
  })

  test('out of reach is told to the operator, in the log only', async () => {
    const { result, logged } = await screened({ token: 't' }, { answer: failing('Check TURNSTILE_SECRET_KEY.') })
    expect(result).toMatchObject({ code: 'HUMAN_CHECK_UNAVAILABLE', message: expect.not.stringContaining('TURNSTILE') })
    expect(logged).toEqual([['intake.human-check', { reason: 'Check TURNSTILE_SECRET_KEY.' }]])
  })

  test('is for people: who shows the key is not asked, and a token is taken out all the same', async () => {
    const { result, checkCalls } = await screened(
      { name: 'Ada', token: 't' }, { answer: ok, sender: { ...SENDER, trusted: true } },
    )
    expect([result, checkCalls]).toEqual([{ data: { name: 'Ada' }, held: false }, []])
  })

  test.each([
    ['missing', {}, ok], ['refused', { token: 't' }, failing('The token is old.', { permanent: true })],
  ])('%s has a form with `hold` held, without an error', async (_, token, answer) => {
    expect((await screened({ name: 'Ada', ...token }, { answer, hold: true })).result).toEqual({
      data: { name: 'Ada' }, held: 'human-check',
    })
  })

  test('out of reach is told to the sender of a form with `hold`, too, and passed lets it in', async () => {
    const away = await screened({ token: 't' }, { answer: failing('Check TURNSTILE_SECRET_KEY.'), hold: true })
    expect(away.result).toMatchObject({ code: 'HUMAN_CHECK_UNAVAILABLE' })
    expect((await screened({ token: 't' }, { answer: ok, hold: true })).result).toEqual({ data: {}, held: false })
  })

  test('comes after the honeypot', async () => {
    const { result, checkCalls } = await screened({ _gotcha: 'x', token: 't' }, { answer: ok })
    expect([result, checkCalls]).toEqual([{ data: {}, held: true }, []])
  })
})

describe('what a store remembers an idempotency key by', () => {
  const digest = (client: string, idempotencyKey?: string, form?: string) => idempotencyDigest({
    group: client, client, trusted: false, hasFiles: false, idempotencyKey,
  }, form)

  test('is nothing without a key', () => expect(digest('a')).toBeUndefined())

  test('differs by form: a page with two forms may send one key with both', () => {
    expect(new Set([digest('a', 'b'), digest('a', 'b', 'jobs'), digest('a', 'b', 'press')]).size).toBe(3)
  })

  test('differs by key and by client, and shows neither', () => {
    expect(digest('203.0.113.7', 'key')).toMatch(/^[0-9a-f]{64}$/)
    expect(digest('203.0.113.7', 'key')).toBe(digest('203.0.113.7', 'key'))
    expect(
      new Set([digest('a', 'bc'), digest('ab', 'c'), digest('a', 'b'), digest('b', 'a'), digest('a","b', 'c')]).size,
    ).toBe(5)
  })
})
