import { expect, test } from 'vitest'
import FieldValue from '../../../../app/components/field/field-value.vue'
import FieldValueText from '../../../../app/components/field/value-text.vue'
import FieldValueTree from '../../../../app/components/field/value-tree.vue'
import SubmissionTechnical from '../../../../app/components/ops/submission/submission-technical.vue'
import { byId, handle, mount, pass, shown } from '../../../support/app/mounted'

const FIELD = { FieldValue, FieldValueText, FieldValueTree }
const open = async (props: object) => {
  await mount(SubmissionTechnical, props, FIELD)
  const folded = shown()
  handle(byId('technical')!, 'onToggle')({ target: { open: true } })
  await pass()
  return { folded, unfolded: shown() }
}

test('technical details are folded, then every key has its value, and the data is there as it was sent', async () => {
  const { folded, unfolded } = await open({
    technical: [
      { key: 'event.id', label: 'id', kind: 'text', value: 'e1' },
      { key: 'event.meta', label: 'meta', kind: 'tree', value: '{"n":1.0}' },
    ],
    sent: '{"event":{"id":"e1","meta":{"n":1.0}}}',
  })
  expect(folded).toBe('Technical details')
  expect(unfolded).toMatch(/^Technical details ?event\.id ?e1 ?event\.meta ?n ?:?1\.0/)
  expect(shown(byId('sent'))).toContain('{ "event": { "id": "e1", "meta": { "n": 1.0 } } }')
})

test('a flat form needs no JSON; of many details the first are shown', async () => {
  const technical = Array.from({ length: 300 }, (_, at) => (
    { key: `k${at}`, label: `k${at}`, kind: 'text', value: 'v' }
  ))
  const { unfolded } = await open({ technical, sent: null })
  expect([unfolded.match(/k\d+/g)!.length, byId('sent')]).toEqual([100, null])
  expect(unfolded).toContain('of 300 values')
})
