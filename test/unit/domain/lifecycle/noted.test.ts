import { expect, test } from 'vitest'
import { ADA, openTriage, submissionsIn } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

const NOTED = { type: 'noted', action: 'call-back', reviewer: ADA } as const
const VIEWER = { ...ADA, role: 'reviewer' } as const

test('a note of a reviewer shows on every card and in the history, and leaves everything else as it is', async () => {
  const triage = await openTriage({ platforms: ['slack', 'discord'] })
  const id = await triage.post({ name: 'Lin' })
  const { submission, added } = await triage.outbox.apply(id, [NOTED]) as Exclude<
    Awaited<ReturnType<typeof triage.outbox.apply>>, { refused: string }
  >
  await triage.outbox.run(submission, added)
  const cards = [...triage.board.shown.values()]
  const line = expect.stringMatching(/^call-back by Ada on Slack, .* UTC$/) as string
  expect(cards.map(({ notes }) => inWords(notes))).toEqual([[line], [line]])
  expect(cards[0]!.actions.map(({ id }) => id)).toEqual(['forward', 'edit', 'spam'])
  const { history, open } = await submissionsIn(triage).show(id, VIEWER)
  expect([open, history.at(-1)!.text]).toEqual([true, 'call-back by Ada on Slack'])
})

test('a note that is sent again is written once, and none is written after the decision', async () => {
  const { post, outbox, forward } = await openTriage()
  const id = await post({ name: 'Lin' })
  expect(await outbox.apply(id, [{ ...NOTED, press: 'one' }])).not.toHaveProperty('refused')
  expect(await outbox.apply(id, [{ ...NOTED, press: 'one' }])).toEqual({ refused: 'unchanged' })
  await forward(id)
  expect(await outbox.apply(id, [{ ...NOTED, press: 'two' }])).toEqual({ refused: 'decided' })
})
