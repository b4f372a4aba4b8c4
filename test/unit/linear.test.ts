import type { H3Event } from 'h3'
import { expect, test } from 'vitest'
import { withPlainLinks } from '../../server/adapters/chat/links'
import { say } from '../../server/adapters/chat/streaming'
import { parseCommand } from '../../server/domain/conversation/commands'
import { readForm } from '../../server/http/body/body'
import { parseUrlencoded } from '../../server/http/body/form-fields'
import { platforms } from '../../server/platforms/registry'
import { searchFor } from '../../server/domain/queries/search'
import { searchTerms } from '../../shared/utils/search-terms'
import { visible } from '../../shared/utils/text'
import { formsOf } from '../fakes/forms'
import { submissionOf } from '../fixtures/views'

/** Length of a short text, and how many times longer a long text is */
const [SHORT, TIMES] = [2000, 32]

/** Maximum slowdown. In quadratic time, a long text takes TIMES times as long as TIMES short texts. */
const MUCH_SLOWER = TIMES / 4

/** Shorter times are ignored, ms: they are noise. */
const NOISE_MS = 20

/** Returns the processor time of `run`, ms. Other busy processes do not affect it. */
async function took(run: () => unknown, times = 1): Promise<number> {
  const began = process.cpuUsage()
  for (let time = 0; time < times; time++) await run()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

/** Returns how many times longer one long text takes than short texts of the same total length. */
async function slowdown(run: (text: string) => unknown, textOf: (length: number) => string): Promise<number> {
  const [short, long] = [textOf(SHORT), textOf(SHORT * TIMES)]
  return await took(() => run(long)) / Math.max(await took(() => run(short), TIMES), NOISE_MS)
}

async function multipart(name: string): Promise<unknown> {
  const event = { node: { req: { headers: { 'content-type': 'multipart/form-data; boundary=B' } } } } as H3Event
  const body = `--B\r\nContent-Disposition: form-data; name="${name}\r\n\r\nAda\r\n--B--\r\n`
  return readForm(event, { readBody: async () => Buffer.from(body) } as never, Infinity, null).catch(() => null)
}

const quotedPrintable = (text: string) => multipart(`a"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${text}`)
const urlencoded = (text: string) => parseUrlencoded(Buffer.from(text))

async function plainLinks(text: string): Promise<void> {
  for await (const _ of withPlainLinks((async function* () { yield text })(), null));
}

/** Streams text like a model, a few characters at a time. */
async function said(text: string): Promise<void> {
  const post = async (message: unknown) => {
    for await (const _ of message as AsyncIterable<string>);
    return {} as never
  }
  const pieces = async function* () {
    for (let at = 0; at < text.length; at += 4) yield text.slice(at, at + 4)
  }
  await say({ post }, pieces(), { messageLength: Infinity }, null)
}

const searched = (text: string): boolean => searchFor('"a b" c:d', formsOf())(submissionOf({ c: text }))

type Row = [string, (text: string) => unknown, (length: number) => string]

test.each<Row>([
  ['tags that hide a text', visible, length => '\u{E0041}'.repeat(length)],
  ['selectors that hide a text', visible, length => `\u{1F600}${'\u{E0158}\uFE00'.repeat(length / 2)}`],
  ['text that is not seen', visible, length => 'a\u00AD\u200C\u200C\u3164\uFE0F\u034F\u180B\u200B'.repeat(length / 9)],
  ['joiners in pieces', said, length => '\u200D'.repeat(length)],
  ['tags behind a flag', visible, length => `\u{1F3F4}${'\u{E0061}'.repeat(length)}`],
  ...platforms.flatMap(({ label, escape }) => (
    ['\n', ' ', '\t', '1', ':', ':a', '\r', '\u2028', '#', '-', '.a', '[', '@'].map((unit): Row => (
      [`${JSON.stringify(unit)} on ${label}`, escape, length => unit.repeat(length)]
    ))
  )),
  ...['@a ', '<@', '@@', 'show ', ' @', '<@a|'].map((unit): Row => (
    [`${JSON.stringify(unit)} in a command`, parseCommand, length => unit.repeat(length)]
  )),
  ['a quoted name of a multipart form that never ends', multipart, length => '\\"'.repeat(length)],
  ...['=', '=\r\n', '=4'].map((unit): Row => (
    [`${JSON.stringify(unit)} in a quoted-printable part`, quotedPrintable, length => unit.repeat(length)]
  )),
  ...['%', '%FF', '&=', '%FF&', '+'].map((unit): Row => (
    [`${JSON.stringify(unit)} in an HTML form`, urlencoded, length => unit.repeat(length)]
  )),
  ...['"', '":', 'a:', ':', 'a"', '" ', 'a:" '].map((unit): Row => (
    [`${JSON.stringify(unit)} in a search`, searchTerms, length => unit.repeat(length)]
  )),
  ['a name without a colon in a search', searchTerms, length => `${'a'.repeat(length)}"`],
  ['spaces in a field that is searched', searched, length => ' '.repeat(length)],
  ['spaces before a mention that is none', parseCommand, length => `help${' '.repeat(length)}.`],
  ['mentions that do not end', parseCommand, length => `help${' <@U1|'.repeat(length)}`],
  ['letters that are no scheme, in what the model writes', plainLinks, length => 'a'.repeat(length)],
  ['a link that does not end, in what the model writes', plainLinks, length => `[a](${' '.repeat(length)}`],
  ['signs behind a word, in what the model writes', plainLinks, length => `a${'.'.repeat(length)}b`],
])('%s: a text takes no longer than its parts', async (_, run, textOf) => {
  let least = Infinity
  for (let attempt = 0; attempt < 3 && least >= MUCH_SLOWER; attempt++) {
    least = Math.min(least, await slowdown(run, textOf))
  }
  expect(least).toBeLessThan(MUCH_SLOWER)
})
