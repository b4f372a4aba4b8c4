import { beforeAll, describe, expect, it } from 'vitest'
import { blockText } from './block-kit'
import { cardEdits, cardOf, submitForm, type Deployment } from './deployment'
import type { Server } from './server'
import { blockActions, interact, viewSubmission, type Block, type SlackMessage } from './slack'
import { until } from './until'

/** Number of submissions. With `EXPLORE` 200, the maximum that the channel shows at once (test/support/slack.ts) */
const SUBMISSIONS = process.env.EXPLORE ? 200 : 60
const CLICKS = 50
/** Submissions contested at the same time */
const AT_ONCE = 6

interface Claim { submission: string, action: 'forward' | 'spam', edited: boolean }

/** Lets reviewers click against each other on every submission, over all servers of the deployment. */
export function raceSuite(d: Deployment, servers: readonly Server[]): void {
  describe(`${CLICKS} clicks at once on each of ${SUBMISSIONS} submissions, over ${servers.length} server(s): forward, spam and edited forms mixed`, () => {
    const cards = new Map<string, SlackMessage>()
    const answers: number[] = []

    beforeAll(async () => {
      const numbers = Array.from({ length: SUBMISSIONS }, (_, number) => number).values()
      const worker = async () => {
        for (const number of numbers) await fight(number)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      await Promise.all(servers.map(server => server.drain()))
    })

    async function fight(number: number): Promise<void> {
      const at = (index: number) => servers[(number + index) % servers.length]!
      const id = await submitForm(at(0), { name: 'Ada', number })
      const card = await cardOf(d, id)
      cards.set(id, card)
      await interact(at(0).url, blockActions(card, 'edit', id, d.slack.reviewer, await d.slack.trigger()))
      const view = await until(
        'the edit form',
        () => d.slack.calls('views.open').map(({ view }) => view as Block).find(
          view => JSON.stringify(view).includes(id),
        ),
      )
      const press = (index: number) => {
        const payload = (number + index) % 3 === 0
          ? viewSubmission(view, { f0: `Grace ${index}` }, d.slack.reviewer)
          : blockActions(card, (number + index) % 3 === 1 ? 'forward' : 'spam', id, d.slack.reviewer)
        // Every server gets every kind of decision.
        return interact(at(Math.floor(index / 3)).url, payload)
      }
      const first = press(0)
      // Give the first click a head start for three submissions, so that each kind of decision wins at least once.
      // Otherwise an edit, which takes longest, might never win.
      if (number < 3) await until('its claim', () => claims().some(({ submission }) => submission === id))
      const others = Array.from({ length: CLICKS - 1 }, (_, index) => press(index + 1))
      const responses = await Promise.all([first, ...others])
      answers.push(...responses.map(({ status }) => status))
      await Promise.all(responses.map(response => response.arrayBuffer()))
    }

    const claims = (): Claim[] => servers.flatMap(server => server.output().split('\n')).filter(line => (
      line.includes('"submission.claimed"')
    )).map(line => JSON.parse(line) as Claim)
    const forwards = () => (
      claims().filter(({ action }) => action === 'forward').map(({ submission }) => submission).sort()
    )

    it('is answered with 200 every time', () => {
      expect(answers).toEqual(Array.from({ length: SUBMISSIONS * CLICKS }, () => 200))
    })

    it('is one decision each, and every kind of click wins sometimes', () => {
      expect(claims().map(({ submission }) => submission).sort()).toEqual([...cards.keys()].sort())
      const kinds = claims().map(({ action, edited }) => edited ? 'edit' : action)
      expect([...new Set(kinds)].sort()).toEqual(['edit', 'forward', 'spam'])
    })

    it('is one email per forward', async () => {
      const sent = d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')
      expect(sent.map(({ headers }) => String(headers['idempotency-key']).slice(0, 36)).sort()).toEqual(forwards())
      expect(await d.resend.emails()).toHaveLength(forwards().length)
    })

    it('is one call of the endpoint per forward, with the data of the click that won', () => {
      expect(
        d.endpoint.requests.map(({ headers }) => String(headers['webhook-id']).slice(0, 36)).sort(),
      ).toEqual(forwards())
      for (const { headers, body } of d.endpoint.requests) {
        const claim = claims().find(({ submission }) => String(headers['webhook-id']).startsWith(submission))!
        expect((JSON.parse(body) as { name: string }).name).toMatch(claim.edited ? /^Grace \d+$/ : /^Ada$/)
      }
    })

    it('is one card each, updated once, without buttons, that says what was decided; what takes long is said to be on its way first', async () => {
      const shown = new Map((await d.slack.messages()).map(message => [message.ts, message]))
      const { early, final, repeated } = cardEdits(d)
      expect(repeated.length).toBeLessThanOrEqual(early.length + SUBMISSIONS / 20)
      // An early edit that is sent again names fewer pending deliveries.
      const waiting = early.map(({ ts, blocks }) => `${String(ts)} ${/Being sent to .*/.exec(blockText(blocks))![0]}`)
      expect(new Set(waiting).size).toBe(early.length)
      expect(early.length).toBeLessThanOrEqual(2 * new Set(early.map(({ ts }) => ts as string)).size)
      expect(final.map(({ ts }) => ts as string).sort()).toEqual([...cards.values()].map(({ ts }) => ts).sort())
      for (const { submission, action, edited } of claims()) {
        const { blocks } = shown.get(cards.get(submission)!.ts)!
        expect(blocks.some(({ type }) => type === 'actions')).toBe(false)
        expect(blockText(blocks)).toContain(
          action === 'spam' ? 'Marked as spam by' : edited ? 'Edited and forwarded by' : 'Forwarded by',
        )
      }
      const withButtons = [...shown.values()].filter(({ blocks }) => blocks.some(({ type }) => type === 'actions'))
      expect(withButtons).toEqual([])
    })
  })
}
