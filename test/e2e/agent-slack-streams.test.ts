import { afterEach, expect, it } from 'vitest'
import { endAfterAll } from '../support/lifetime'
import { deployAgent, heard, tell } from '../support/slack-people'

const d = endAfterAll(await deployAgent())
afterEach(() => { d.slack.fault = () => undefined })

const refusing = (method: string, answer: { status: number, body: string }) => {
  d.slack.fault = ({ path }) => path === `/api/${method}` ? answer : undefined
}

it.each([
  ['too often', { status: 429, body: '' }], ['not just now', { status: 503, body: '' }],
  ['as over', { status: 200, body: '{"ok":false,"error":"message_not_in_streaming_state"}' }],
])('a short answer whose end Slack refuses (%s) stands there once, and nothing empty beside it', async (_, answer) => {
  refusing('chat.stopStream', answer)
  d.model.script({ text: ['Two ', 'wait.'] })
  const thread = await tell(d, 'how many wait?')
  expect(await heard(d, thread)).toEqual(['Two wait.'])
})

it('a short answer whose beginning Slack refuses is posted whole', async () => {
  refusing('chat.startStream', { status: 503, body: '' })
  d.model.script({ text: ['Two ', 'wait.'] })
  expect(await heard(d, await tell(d, 'how many wait?'))).toEqual(['Two wait.'])
})

it.each(['chat.appendStream', 'chat.stopStream'])('a long answer waits when Slack says that %s comes too often, and is whole', async (method) => {
  let refused = 0
  d.slack.fault = ({ path }) => path === `/api/${method}` && refused++ === 0
    ? { status: 429, headers: { 'retry-after': '1' }, body: '' }
    : undefined
  const lines = Array.from({ length: 30 }, (_, index) => `Form ${index} waits for somebody who decides it.\n\n`)
  d.model.script({ text: lines, pauseMs: 5 })
  const answers = await heard(d, await tell(d, 'what waits?'))
  expect(answers.map(text => text.trim())).toEqual([lines.join('').trim()])
  expect(refused).toBeGreaterThan(1)
})
