import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../server/domain/conversation/command'
import { CommandDesk } from '../../server/domain/conversation/desk'
import type { Answer } from '../../server/ports/conversation'
import type { AuditLine, Submission } from '../../server/ports/submission'
import { formsOf } from '../fakes/forms'
import { submissionOf } from '../fixtures/views'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000

/** A desk over submissions, newest first, and audit lines. */
function deskOver(submissions: readonly Submission[], lines: readonly AuditLine[] = []) {
  const reads: number[] = []
  const desk = new CommandDesk({
    store: {
      get: async id => submissions.find(submission => submission.id === id) ?? null,
      audit: async limit => lines.slice(0, limit),
      listPending: async ({ limit, before }) => {
        reads.push(limit)
        const from = before ? Number(before) : 0
        const page = submissions.slice(from, from + limit)
        return { submissions: page, total: submissions.length, cursor: from + limit < submissions.length ? String(from + limit) : null }
      },
    },
    outbox: { apply: async () => ({ refused: 'gone' }), run: async () => {} },
    presentation: { siteUrl: 'https://forms.example.com', forms: formsOf({ endpoint: { host: 'crm.example.com', post: async () => ({ ok: true, value: undefined }) } }) },
    platforms: ['Slack', 'Discord'],
    runtime: { now: () => NOW, background: () => {} },
  })
  return { reads, desk, ask: (text: string, inRoom = true) => desk.answer(parseCommand(text), { inRoom }) }
}

const waiting = (count: number) => Array.from({ length: count }, (_, index): Submission => ({
  ...submissionOf({ name: `Person ${index}`, email: `p${index}@example.com` }), id: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`, receivedAt: NOW - index * MINUTE,
}))
const said = (answer: Answer) => ('speech' in answer ? answer.speech : { text: [] as string[], items: undefined })
const textOf = (answer: Answer) => said(answer).text.join('\n')

describe('pending', () => {
  test('says how many wait, since when the oldest does, and lists the newest with id, preview and link', async () => {
    const answer = await deskOver(waiting(7)).ask('pending')
    expect(textOf(answer)).toBe('7 submissions wait. The oldest came on 21 Nov 2026, 11:54 UTC. The newest 5:')
    expect(said(answer).items).toHaveLength(5)
    expect(said(answer).items![0]).toEqual({
      label: '00000000 · 21 Nov 2026, 12:00 UTC', value: 'name: Person 0\nemail: p0@example.com',
      link: { label: 'Open 00000000', url: 'https://forms.example.com/submissions/00000000-0000-4000-8000-000000000000' },
    })
  })

  test('with none says so', async () => {
    expect(textOf(await deskOver([]).ask('pending'))).toBe('No submission waits. All done.')
  })

  test('reads a bounded number, and then does not claim to know the oldest', async () => {
    const { ask, reads } = deskOver(waiting(1001))
    expect(textOf(await ask('pending'))).toBe('1001 submissions wait. The newest 5:')
    expect(reads.reduce((sum, limit) => sum + limit, 0)).toBe(1000)
  })

  test('keeps a preview short, whatever the form says', async () => {
    const long = submissionOf({ ['k'.repeat(500)]: `a\n\n${'😀'.repeat(500)}`, b: 1, c: null, d: 'not shown' })
    const [item] = said(await deskOver([long]).ask('pending')).items!
    expect(item!.value.length).toBeLessThan(400)
    expect(item!.value.isWellFormed()).toBe(true)
    expect(item!.value).not.toContain('not shown')
  })

  test('outside the rooms tells the number only', async () => {
    const answer = await deskOver(waiting(2)).ask('pending', false)
    expect(textOf(answer)).toContain('2 submissions wait.')
    expect(JSON.stringify(answer)).not.toContain('Person')
  })
})

describe('show', () => {
  test.each([['00000003-0000-4000-8000-000000000000'], ['00000003'], ['person 3'], ['P3@EXAMPLE.com'], ['email: p3']])('finds the one that matches %j', async (wanted) => {
    expect(await deskOver(waiting(7)).ask(`show ${wanted}`)).toMatchObject({ card: { submissionId: '00000003-0000-4000-8000-000000000000', actions: true } })
  })

  test('lists several matches, the newest first', async () => {
    const answer = await deskOver(waiting(7)).ask('show example.com')
    expect(textOf(answer)).toBe('7 match. The newest 5:')
    expect(said(answer).items![0]!.label).toContain('00000000')
  })

  test.each([['nobody'], ['ffffffff-0000-4000-8000-000000000000'], ['%2e%2e'], ['.*']])('says that nothing matches %j', async (wanted) => {
    expect(textOf(await deskOver(waiting(2)).ask(`show ${wanted}`))).toContain(`Nothing that waits matches “${wanted}”`)
  })

  test('without words asks which, and outside the rooms shows nothing', async () => {
    const { ask } = deskOver(waiting(1))
    expect(textOf(await ask('show'))).toContain('Which one?')
    expect(await ask('show Person 0', false)).toEqual({ speech: { text: [expect.stringContaining('only in the channel of the cards')] } })
  })

  test('a card that came too late is told to offer nothing', async () => {
    expect(await deskOver([]).desk.shown('gone', { platform: 'slack', threadId: 't', messageId: 'm' })).toMatchObject({ submissionId: 'gone', actions: false, notes: ['Already decided.'] })
  })
})

describe('status', () => {
  const line = (outcome: AuditLine['outcome'], at: number): AuditLine => ({ id: 'x', outcome, at, reviewer: null, receivedAt: at })
  const lines = [line('forwarded', NOW - 1), line('spam', NOW - MINUTE), line('forwarded', NOW - 2 * MINUTE), line('expired', NOW - 25 * 60 * MINUTE)]

  test('names what is connected, where forwards go, and what happened', async () => {
    expect(textOf(await deskOver(waiting(3), lines).ask('status'))).toBe([
      'Connected: Slack, Discord', 'Forwards go to: team@example.com and crm.example.com', 'Waiting: 3', 'Last 24 hours: 2 forwarded, 1 marked as spam, 0 expired',
    ].join('\n'))
  })

  test('outside the rooms keeps addresses to itself', async () => {
    expect(textOf(await deskOver([], lines).ask('status', false))).toContain('Forwards go to: email and endpoint')
  })
})

test('anything else is answered with the hint to help', async () => {
  expect(textOf(await deskOver([]).ask('good morning'))).toContain('Type help')
})
