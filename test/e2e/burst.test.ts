import { beforeAll, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { deploy, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startProxy, type Recorded } from '../support/proxy'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const FORMS = 400
const INTERVAL_MS = 15

const d = endAfterAll(await deploy({ CARD_INTERVAL_MS: String(INTERVAL_MS) }))
/** Proxy between the second replica and Slack: it records only the second replica's requests. */
const door = endAfterAll(await startProxy(d.slack.url))
const second = endAfterAll(await startServer({ ...d.env, SLACK_API_URL: `${door.url}/api/` }))

describe('a burst of 400 forms in 4 s over two replicas', () => {
  let sent: { index: number, start: number, end: number, status: number, id: string }[]
  /** Durations of health checks during the burst, ms */
  let idle: number[]

  beforeAll(async () => {
    for (const server of [d.server, second]) {
      await sendForm(server, { text: 'warm-up' })
      await server.drain()
    }
    const started = Date.now()
    const requests: Promise<typeof sent[number]>[] = []
    let isOver = false
    idle = []
    const asking = [d.server, second].map(server => until('the end', async () => {
      idle.push(await askHealth(server))
      return isOver
    }, 600_000))
    for (let index = 0; index < FORMS; index++) {
      await until('the next form\'s time', () => Date.now() >= started + index * 10)
      requests.push(send(index % 2 === 0 ? d.server : second, index))
    }
    sent = await Promise.all(requests)
    // Wait as long as there is progress: a slow machine posts cards more slowly than the configured rate.
    for (let done = 0; done < FORMS;) {
      const before = done
      done = await until(`more than ${before} cards`, () => {
        const now = posted().length
        return now > before && now
      })
    }
    await Promise.all([d.server.drain(), second.drain()])
    isOver = true
    await Promise.all(asking)
  })

  const calls = () => d.slack.requests.filter(({ path, status }) => path === '/api/chat.postMessage' && status === 200)
  const posted = () => numbersIn(calls())

  it('is accepted in full, every form in well under 3 s', () => {
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: FORMS }, () => 200))
    expect(new Set(sent.map(({ id }) => id)).size).toBe(FORMS)
    // Subtract the time of a health check: it measures how slow the machine is.
    expect(Math.max(...sent.map(({ start, end }) => end - start)) - Math.max(...idle)).toBeLessThan(2900)
  })

  it('becomes one card each', () => {
    expect([...posted()].sort((a, b) => a - b)).toEqual(Array.from({ length: FORMS }, (_, index) => index))
  })

  it('in order of arrival: no form overtakes one that was answered before it was sent, but on its way to Slack', () => {
    const cards = posted()
    const place = new Map(cards.map((index, position) => [index, position]))
    const bySecond = new Set(numbersIn(door.requests))
    const isBySame = (one: number, other: number) => bySecond.has(one) === bySecond.has(other)
    // A replica handles one card at a time. It starts a card when its previous card is posted.
    const inHandSince = new Map(cards.map((index, position) => [
      index, cards.findLastIndex((other, at) => at < position && isBySame(index, other)),
    ]))
    const overtaken = sent.filter(late => sent.some(({ index, end }) => {
      const [at, earlier] = [place.get(late.index)!, place.get(index)!]
      return end < late.start && at < earlier && (isBySame(index, late.index) || at < inHandSince.get(index)!)
    }))
    expect(overtaken.map(({ index }) => index)).toEqual([])
  })

  it('never faster than the rate', () => {
    const times = calls().map(({ at }) => at)
    const windows = times.slice(100).map((at, index) => at - times[index]!)
    // A hundred intervals, minus a tolerance: clock, network and a busy machine can shift both ends.
    expect(Math.min(...windows) + Math.max(...idle)).toBeGreaterThan(100 * INTERVAL_MS * 0.9)
  })

  it('with one notice of the backlog, which links to the overview', async () => {
    const notices = d.slack.calls('chat.postMessage').filter(call => (
      /more submissions are waiting/.test(blockText(call.blocks))
    ))
    expect(notices).toHaveLength(1)
    expect(JSON.stringify(notices[0]!.blocks)).toContain('https://forms.example.com')
  })
})

/** Returns the numbers of the cards, in order. */
function numbersIn(requests: readonly Recorded[]): number[] {
  return requests.flatMap(({ body }) => /card number (\d+)/.exec(body)?.[1] ?? []).map(Number)
}

async function askHealth({ url }: Server): Promise<number> {
  const start = Date.now()
  await (await fetch(`${url}/api/health`)).text()
  return Date.now() - start
}

async function send(server: Server, index: number) {
  const start = Date.now()
  const response = await sendForm(server, { text: `card number ${index}` })
  const { submissionId: id } = await response.json() as { submissionId: string }
  return { index, start, end: Date.now(), status: response.status, id }
}
