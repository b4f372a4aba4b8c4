import { expect, test } from 'vitest'
import { blockText, viewProblems } from '../support/block-kit'
import { cardNow, cardOf, deploy, openEdit, submitEdit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'

const SENT = '{"event_id":"e1","event_type":"form_response","form_response":{"token":"t1","definition":{"fields":['
  + '{"id":"q1","title":"Your name"},{"id":"q2","title":"Budget"},{"id":"q3","title":"Topics"}]},"answers":['
  + '{"type":"text","text":"Ada","field":{"id":"q1"}},{"type":"number","number":1.50,"field":{"id":"q2"}},'
  + '{"type":"choices","choices":{"ids":["c1","c2"],"labels":["Engines","Maths"]},"field":{"id":"q3"}}]}}'

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))

test('a provider\'s form is shown and edited by its questions, and the endpoint gets it as it was sent', async () => {
  const id = await submitForm(d.server, SENT)
  const card = await cardOf(d, id)
  for (const shown of ['Your name', '1.50', 'Engines\nMaths', 'Technical details', 'event_id']) expect(
    blockText(card.blocks),
  ).toContain(shown)
  expect(blockText(card.blocks)).not.toContain('{"')
  const view = await openEdit(d, card, id)
  expect(viewProblems(view)).toEqual([])
  const inputs = view.blocks as { block_id: string, label: { text: string }, element: { initial_value: string } }[]
  expect(inputs.map(({ label, element }) => [label.text, element.initial_value])).toEqual([
    ['Your name', 'Ada'], ['Budget', '1.50'], ['Topics', 'Engines\nMaths'],
  ])
  expect(await submitEdit(d, view, { [inputs[2]!.block_id]: 'Engines\nPoetry' })).toEqual({})
  expect(d.endpoint.requests.at(-1)!.body).toBe(SENT.replace('"Maths"', '"Poetry"'))
  const text = blockText((await cardNow(d, card)).blocks)
  expect(text).toContain('Topics (edited)')
  expect(text).toContain('Edited: Topics')
  const [email] = await d.resend.emails()
  expect(email!.text).toContain('Topics (edited):\n  Engines\n  Poetry')
  const details = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json() as { error?: string }
  expect(details.error).toContain('Edited and forwarded')
})
