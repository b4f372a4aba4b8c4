import { expect, test } from 'vitest'
import { Recollection } from '../../../../server/adapters/redis/recollection'

test('of five hundred records and one, what was stored longest ago is forgotten', () => {
  const recollection = new Recollection()
  const ids = Array.from({ length: 500 }, (_, index) => `id-${index}`)
  for (const id of ids) recollection.keep(id, 'first')
  recollection.keep('id-0', 'second')
  recollection.keep('one more', 'first')
  expect(['id-0', 'id-1', 'id-2', 'one more'].map(id => recollection.of(id))).toEqual(
    ['second', null, 'first', 'first'],
  )
})
