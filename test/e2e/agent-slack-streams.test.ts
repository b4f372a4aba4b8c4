import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deployAgent, heard, tell, type AgentDeployment } from '../support/slack-people'

let d: AgentDeployment
beforeAll(async () => {
  d = await deployAgent()
})
afterAll(() => d.close())
afterEach(() => {
  d.slack.fault = () => undefined
})

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
