import { afterEach, expect, it } from 'vitest'
import { cardOf, click, deploy, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))
afterEach(() => {
  d.slack.fault = () => undefined
  d.resend.fault = () => undefined
})

const isPost = ({ path }: { path: string }) => path === '/api/chat.postMessage'
const refuseEmails = () => {
  d.resend.fault = ({ method }) => method === 'POST'
    ? { status: 403, body: '{"name":"invalid_api_key","message":"No","statusCode":403}' }
    : undefined
}

const receive = (data: object) => submitForm(d.server, data)

/** Forwards on the ops page, which needs no card, and waits until the failure has reopened it. */
async function forwardInVain(id: string): Promise<void> {
  refuseEmails()
  const body = JSON.stringify({ action: 'forward' })
  expect((await postJson(`${d.server.url}/api/submissions/${id}/decision`, body)).status).toBe(200)
  await until(
    'it is open again',
    async () => (await details(id)).history.some(({ event }: { event: string }) => event === 'reopened'),
  )
  d.resend.fault = () => undefined
}

const details = async (id: string) => await (await fetch(`${d.server.url}/api/submissions/${id}`)).json()
it('a submission that was decided before its card could be posted gets one when it is opened again, and can be decided there', async () => {
  d.slack.fault = request => isPost(request) ? { status: 500 } : undefined
  const id = await receive({ name: 'Ada' })
  await until('a post refused', () => d.slack.requests.some(request => isPost(request) && request.status === 500))
  await forwardInVain(id)
  d.slack.fault = () => undefined
  const card = await cardOf(d, id)
  expect(JSON.stringify(card.blocks)).toContain('Retry email')
  await click(d, card, 'forward', id)
  expect((await d.resend.emails()).filter(({ html }) => html.includes(id))).toHaveLength(1)
  expect(d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))).toHaveLength(1)
})
