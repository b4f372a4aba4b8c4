import { expect, test } from 'vitest'
import { withRelease } from '../../bench/history'

const BEFORE = ['| figure | 0.1.0 |', '| --- | ---: |', '| ack p50 ms | 1.09 |', '| gone | 2.00 |'].join('\n')

const row = (figure: string, median: number) => ({ figure, cells: {}, ratio: { median, min: 0, max: 9 } })

test('a release gets a column of its own, and one that is measured again keeps its place at the end', () => {
  const rows = [row('ack p50 ms', 0.876), row('burst per s', 3.2), { figure: 'round trips', cells: { service: '2' } }]
  const released = withRelease(BEFORE, '0.2.0', rows)
  expect(released.split('\n')).toEqual([
    '| figure | 0.1.0 | 0.2.0 |', '| --- | ---: | ---: |', '| ack p50 ms | 1.09 | 0.876 |', '| gone | 2.00 |  |',
    '| burst per s |  | 3.20 |',
  ])
  expect(withRelease(released, '0.2.0', rows)).toBe(released)
})

test('the first release begins the table', () => {
  expect(withRelease('', '0.1.0', [row('ack p50 ms', 1)]).split('\n')).toEqual([
    '| figure | 0.1.0 |', '| --- | ---: |', '| ack p50 ms | 1.00 |',
  ])
})
