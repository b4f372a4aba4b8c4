import { expect } from 'vitest'
import { cardNow, sendForm, type Deployment } from './deployment'
import { blockActions, interact, type Block, type SlackMessage } from './slack'
import { timed } from './stopwatch'
import { until } from './until'

export const hasButtons = ({ blocks }: { blocks: Block[] }) => blocks.some(({ type }) => type === 'actions')

/** Sends forms and clicks for a while; returns their answers, each with its duration. */
export async function traffic(d: Deployment, card: SlackMessage, id: string, ms: number) {
  const measured = async (send: () => Promise<Response>) => {
    const { result: status, ms } = await timed(d.server, async () => {
      const response = await send()
      await response.arrayBuffer()
      return response.status
    })
    return { status, ms }
  }
  const forms: Awaited<ReturnType<typeof measured>>[] = []
  const clicks: typeof forms = []
  for (const end = Date.now() + ms; Date.now() < end;) {
    const [form, clicked] = await Promise.all([
      measured(() => sendForm(d.server, { name: `during ${forms.length}` })),
      measured(() => interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer), { isOnce: true })),
    ])
    forms.push(form)
    clicks.push(clicked)
  }
  return { forms, clicks }
}

/** Checks that there is one email, one call of the endpoint, and a closed card. */
export async function decidedOnce(d: Deployment, id: string, card: SlackMessage): Promise<void> {
  const emails = async () => (await d.resend.emails()).filter(({ html }) => html.includes(id)).length
  const calls = () => d.endpoint.requests.filter(({ headers, status }) => String(headers['webhook-id']).startsWith(id)
    && status === 200).length
  await until(
    'the forward delivered', async () => await emails() > 0 && calls() > 0 && !hasButtons(await cardNow(d, card)),
  )
  await d.server.drain()
  expect([await emails(), calls()]).toEqual([1, 1])
}
