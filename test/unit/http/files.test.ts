import { expect, test } from 'vitest'
import { fileHeaders } from '../../../server/http/files'

const headersOf = (name: string, type: string) => fileHeaders({ field: 'cv', name, type, size: 1, sha256: '' })

test('text is read as what it was sent in, and nothing else is said of what is no text', () => {
  expect(headersOf('a.csv', 'text/csv')['Content-Type']).toBe('text/csv; charset=utf-8')
  expect(headersOf('a.png', 'image/png')['Content-Type']).toBe('image/png')
})

test('a name means nothing in the header that has it', () => {
  expect(headersOf('Ada\'s "CV" (1); x=é\r\n.pdf', 'application/pdf')['Content-Disposition']).toBe(
    'attachment; filename="Ada_s _CV_ (1)_ x____.pdf"; '
    + 'filename*=UTF-8\'\'Ada%27s%20%22CV%22%20%281%29%3B%20x%3D%C3%A9%0D%0A.pdf',
  )
})
