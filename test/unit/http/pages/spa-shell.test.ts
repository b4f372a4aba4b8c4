import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fitShell, pageHeaders } from '../../../../server/http/pages/spa-shell'

const sha256 = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

function scriptSources(html: string): string[] {
  const policy = pageHeaders(html, false)['Content-Security-Policy']!
  return /script-src ([^;]*)/.exec(policy)![1]!.split(' ')
}

test('inline scripts are allowed by what they say, with any attributes, each once', () => {
  const html = '<head><script>one()</script><script type="importmap">{"imports":{}}</script></head><body><script type="module" crossorigin>\ntwo()\n</script><script>one()</script>'
  expect(scriptSources(html)).toEqual(['\'self\'', sha256('one()'), sha256('{"imports":{}}'), sha256('\ntwo()\n')])
})

test('files and data need no hash', () => {
  expect(
    scriptSources('<script type="module" src="/_nuxt/x.js" crossorigin></script><script type="application/json" id="data">[1]</script>'),
  ).toEqual(['\'self\''])
})

test('nothing runs that is not of this site, nor frames it', () => {
  const policy = pageHeaders('', false)['Content-Security-Policy']!
  for (const directive of [
    'default-src \'none\'', 'script-src \'self\'', 'connect-src \'self\'', 'base-uri \'none\'', 'form-action \'self\'',
    'frame-ancestors \'none\'',
  ]) expect(policy.split('; ')).toContain(directive)
  expect(policy).not.toMatch(/unsafe-eval|\*|https?:/)
  expect(policy.match(/[\w-]+ [^;]*unsafe-inline[^;]*/g)).toEqual(['style-src \'self\' \'unsafe-inline\''])
})

test('https is insisted on only where people use it', () => {
  expect(pageHeaders('', true)['Strict-Transport-Security']).toMatch(/max-age=\d{7,}/)
  expect(pageHeaders('', false)).not.toHaveProperty('Strict-Transport-Security')
})

test('what a page will ask for is named whether or not its address ends in a slash', () => {
  for (const path of ['/submissions/one', '/submissions/one/']) {
    const shell = { head: [], bodyAttrs: [], bodyAppend: [] }
    const page = { name: 'submissions-id', path: '/submissions/:id()', asks: '/api/submissions/:id', scripts: [] }
    fitShell(shell, page, path, true)
    expect(shell.head.join('\n')).toContain('href="/api/submissions/one"')
  }
})
