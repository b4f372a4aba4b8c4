import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { testFolder } from '../../support/lifetime'

const [OLD, NEW, OTHER] = ['a', 'b', 'c'].map(letter => `whsec_${letter.repeat(32)}`) as [string, string, string]
const BODY = '{"name":"Zoë"}'
const FOLDER = fileURLToPath(new URL('../../../docs/verify/', import.meta.url))

/** A program for each language: reads a case as JSON from its input, and prints true or false. */
const PROGRAMS: Record<string, { command: string[], probe: string, main: string, name: string }> = {
  'verify.mjs': { command: [process.execPath], probe: '--version', name: 'main.mjs', main: `
    import { readFileSync } from 'node:fs'
    import { isSigned } from './verify.mjs'
    const { body, headers, secrets } = JSON.parse(readFileSync(0, 'utf8'))
    console.log(isSigned(body, headers, secrets))` },
  'verify.py': { command: ['python3'], probe: '--version', name: 'main.py', main: `
import json, sys
from verify import is_signed
c = json.load(sys.stdin)
print(str(is_signed(c["body"].encode(), c["headers"], c["secrets"])).lower())` },
  'verify.php': { command: ['php'], probe: '--version', name: 'main.php', main: `<?php require __DIR__ . '/verify.php';
$c = json_decode(file_get_contents('php://stdin'), true);
echo is_signed($c['body'], $c['headers'], $c['secrets']) ? 'true' : 'false';` },
  'verify.rb': { command: ['ruby'], probe: '--version', name: 'main.rb', main: `
require 'json'
require_relative 'verify'
c = JSON.parse($stdin.read)
puts signed?(c['body'], c['headers'], c['secrets'])` },
  'verify.go': { command: ['go', 'run', 'verify.go'], probe: 'version', name: 'main.go', main: `package main
import ("encoding/json"; "fmt"; "os")
func main() {
  var c struct { Body string; Headers map[string]string; Secrets []string }
  json.NewDecoder(os.Stdin).Decode(&c)
  fmt.Println(IsSigned([]byte(c.Body), func(name string) string { return c.Headers[name] }, c.Secrets))
}` },
}

const isInstalled = ({ command, probe }: { command: string[], probe: string }) => (
  spawnSync(command[0]!, [probe]).status === 0
)
const installed = Object.keys(PROGRAMS).filter(file => isInstalled(PROGRAMS[file]!))
const missing = Object.keys(PROGRAMS).filter(file => !installed.includes(file))

function headersOf(signers: readonly string[], ageS = 0) {
  const at = new Date(Date.now() - ageS * 1000)
  return {
    'webhook-id': 'id-1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signers.map(secret => new Webhook(secret).sign('id-1', at, BODY)).join(' '),
  }
}

const CASES = [
  ['of the old secret, first of two', true, { secrets: [OLD], headers: headersOf([OLD, NEW]) }],
  ['of the new secret, second of two', true, { secrets: [NEW], headers: headersOf([OLD, NEW]) }],
  ['of one secret, of two that are known', true, { secrets: [OLD, NEW], headers: headersOf([NEW]) }],
  ['of another secret', false, { secrets: [OLD, NEW], headers: headersOf([OTHER]) }],
  ['of six minutes ago', false, { secrets: [OLD], headers: headersOf([OLD], 360) }],
  ['of six minutes ahead', false, { secrets: [OLD], headers: headersOf([OLD], -360) }],
  ['of another body', false, { secrets: [OLD], headers: headersOf([OLD]), body: `${BODY} ` }],
  ['that is missing', false, { secrets: [OLD], headers: {} }],
] as const

test.each(installed.flatMap(file => CASES.map(([title, ...rest]) => [file, title, ...rest] as const)))(
  '%s: a signature %s counts: %s', (file, _, counts, request) => {
    const { command, name, main } = PROGRAMS[file]!
    const folder = testFolder()
    copyFileSync(join(FOLDER, file), join(folder, file))
    writeFileSync(join(folder, name), main)
    const { stdout, stderr } = spawnSync(command[0]!, [...command.slice(1), name], {
      cwd: folder, input: JSON.stringify({ body: BODY, ...request }), encoding: 'utf8',
    })
    expect([stdout.trim(), stderr]).toEqual([String(counts), ''])
  },
)

test(`ran: ${installed.join(', ')}; not installed here: ${missing.join(', ') || 'none'}; GitHub runs all five`, () => {
  expect(installed).toContain('verify.mjs')
  if (process.env.GITHUB_ACTIONS) expect(missing).toEqual([])
})
