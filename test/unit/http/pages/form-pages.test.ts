import { expect, test } from 'vitest'
import { problemPage, thanksPage } from '../../../../server/http/pages/form-pages'
import type { FieldProblem } from '../../../../server/ports/field-rules'
import type { FormPages } from '../../../../server/ports/form'
import { httpEvent } from '../event'

const request = (headers: Record<string, string> = {}) => httpEvent(headers, { url: '/' })

/** Items in the list of problems. */
function listItems(labels: readonly string[]): string[] {
  const problems = labels.map((label): FieldProblem => ({ key: label, label, problem: 'unknown' }))
  const html = problemPage(request(), { error: 'x', message: 'x', code: 'INVALID_FIELDS', problems }, {})
  return [...html.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => item!)
}

test('names of fields that a sender made up are text, cut, and a few of them', () => {
  const [hostile] = listItems(['<img src=x onerror=alert(1)>"\u202E'])
  expect(hostile).toMatch(/^<strong>&lt;img src=x onerror=alert\(1\)&gt;&quot;⟨U\+202E⟩<\/strong>/)
  expect(listItems(['x'.repeat(1000)])[0]).toContain(`>${'x'.repeat(150)}<`)
  const items = listItems(Array.from({ length: 40 }, (_, index) => `field ${index}`))
  expect([items.length, items.at(-1)]).toEqual([31, '…'])
})

test('a way back leads to a website, and to nothing else that a browser may come from', () => {
  const back = (referer: string, pages: FormPages = {}) => (
    /class="back" href="([^"]*)"/.exec(thanksPage(request({ referer }), pages))?.[1]
  )
  expect(back('https://anywhere.example/?a=1&b="2"')).toBe('https://anywhere.example/?a=1&amp;b=%222%22')
  for (const referer of ['android-app://com.example/', 'javascript:alert(1)', 'about:client', '']) {
    expect(back(referer)).toBeUndefined()
  }
})
