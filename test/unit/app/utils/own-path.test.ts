import { expect, test } from 'vitest'
import { ownPath } from '../../../../app/utils/own-path'

test.each([
  '/', '/status', '/submissions/x?tab=history#top', '/a//b', '/sign-in?to=%2F%2Fevil.example',
])('%s is a page of this site', path => expect(ownPath(path)).toBe(path))

test.each([
  '//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/\n/evil.example', '/.//evil.example',
  '/x/..//evil.example', '/%2e//evil.example',
  'https://evil.example', 'javascript:alert(1)', 'data:text/html,x', 'evil', '', ' /status', undefined, null,
  ['/status'], 7,
])('%j is not, and becomes the start page', wanted => expect(ownPath(wanted)).toBe('/'))

test('what is left never leads off the site', () => {
  const parts = ['/', '\\', '.', '..', '%2e', '\t', '\n', '@', ':', 'evil.example', '?', '#', 'http:']
  for (const a of parts) for (const b of parts) for (const c of parts) for (const d of parts) {
    const path = ownPath(`/${a}${b}${c}${d}`)
    expect(new URL(path, 'http://own.invalid').origin).toBe('http://own.invalid')
  }
})
