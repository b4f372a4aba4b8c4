import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { deploy, sendForm, type Deployment } from '../support/deployment'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const FORMS = 1000
const INTERVAL_MS = 20

describe('a burst of 1,000 forms in 10 s over two replicas', () => {
  let d: Deployment
  let second: Server
  let sent: { index: number, start: number, end: number, status: number, id: string }[]

  beforeAll(async () => {
    d = await deploy({ CARD_INTERVAL_MS: String(INTERVAL_MS), LEASE_MS: '30000' })
    second = await startServer(d.env)
    const started = Date.now()
    const requests: Promise<typeof sent[number]>[] = []
    for (let index = 0; index < FORMS; index++) {
      await until('the next form\'s time', () => Date.now() >= started + index * 10)
      requests.push(send(index % 2 === 0 ? d.server : second, index))
    }
    sent = await Promise.all(requests)
    await until('all cards', () => posted().length >= FORMS, 60_000)
    await Promise.all([d.server.drain(), second.drain()])
  })
  afterAll(async () => {
    await second.kill()
    await d.close()
  })

  const calls = () => d.slack.requests.filter(({ path, status }) => path === '/api/chat.postMessage' && status === 200)
  const posted = () => (
    calls().map(({ body }) => Number(/card number (\d+)/.exec(body)?.[1] ?? NaN)).filter(index => !Number.isNaN(index))
  )

  it('is accepted in full, every form in well under 3 s', () => {
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: FORMS }, () => 200))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(FORMS)
    expect(Math.max(...sent.map(({ start, end }) => end - start))).toBeLessThan(2900)
  })

  it('becomes one card each', () => {
    expect([...posted()].sort((a, b) => a - b)).toEqual(Array.from({ length: FORMS }, (_, index) => index))
  })

  it('in order of arrival: a form that was answered before another was sent has its card first', () => {
    const place = new Map(posted().map((index, position) => [index, position]))
    const byEnd = [...sent].sort((a, b) => a.end - b.end)
    const overtaken = sent.filter((late) => {
      const earlier = byEnd.filter(({ end }) => end < late.start)
      return earlier.some(({ index }) => place.get(index)! > place.get(late.index)!)
    })
    expect(overtaken.map(({ index }) => index)).toEqual([])
  })

  it('never faster than the rate', () => {
    const times = calls().map(({ at }) => at)
    const windows = times.slice(100).map((at, index) => at - times[index]!)
    // A hundred intervals, less what the clock and the network may shift one end of them.
    expect(Math.min(...windows)).toBeGreaterThan(100 * INTERVAL_MS * 0.9)
  })

  it('with one notice of the backlog, which links to the overview', async () => {
    const notices = d.slack.calls('chat.postMessage').filter(call => (
      /more submissions are waiting/.test(blockText(call.blocks))
    ))
    expect(notices).toHaveLength(1)
    expect(JSON.stringify(notices[0]!.blocks)).toContain('https://forms.example.com')
  })
})

async function send(server: Server, index: number) {
  const start = Date.now()
  const response = await sendForm(server, { text: `card number ${index}` })
  const { submissionId: id } = await response.json() as { submissionId: string }
  return { index, start, end: Date.now(), status: response.status, id }
}
