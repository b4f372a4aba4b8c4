import { describe, expect, test } from 'vitest'
import { parseCommand, ChatCommands, withoutAddress } from '../../../../server/domain/conversation/commands'
import type { BotAnswer } from '../../../../server/ports/conversation'
import type { PageRequest, SubmissionStore } from '../../../../server/ports/store'
import type { AuditLine, Submission } from '../../../../server/ports/submission'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { decisions, submissionOf } from '../../../fixtures/views'
import { plainText } from '../../../../shared/utils/line'
import { inWords } from '../../../support/words'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'
import type { ReviewBoard } from '../../../../server/ports/board'
import type { Outbox } from '../../../../server/domain/outbox/outbox'

const NOW = Date.UTC(2026, 10, 21, 12)
const MINUTE = 60_000

const ROOM = ['slack/C1', 'slack']
const HR = ['slack/C2']
const forms = formsOf(
  { endpoint: {
    host: 'crm.example.com', url: 'https://crm.example.com', post: async () => ({ ok: true, value: { status: 200 } }),
  } },
  { hr: { name: 'HR', rooms: ['slack/C2'], to: ['hr@example.com'], endpoint: null }, contact: { name: 'Contact' } },
)

/** Commands for a store with these submissions, newest first, and these audit lines */
function commandsFor(submissions: readonly Submission[], lines: readonly AuditLine[] = [], knownForms = forms) {
  const reads: number[] = []
  const list = async ({ limit, before }: PageRequest) => {
    reads.push(limit)
    const from = before ? Number(before) : 0
    const cursor = from + limit < submissions.length ? String(from + limit) : null
    return { submissions: submissions.slice(from, from + limit), total: submissions.length, cursor }
  }
  const commands = new ChatCommands(testContext({
    store: only<SubmissionStore>({
      get: async id => submissions.find(submission => submission.id === id) ?? null,
      audit: async limit => lines.slice(0, limit),
      listPending: list, listRecords: list,
    }),
    forms: knownForms,
    board: only<ReviewBoard>({
      platforms: ['Slack', 'Discord'], label: room => room,
      roomOf: ({ threadId }) => `slack/${threadId.split(':')[1]}`,
      link: async ({ messageId }) => `https://example.slack.com/${messageId}`,
    }),
    runtime: only<Runtime>({ now: () => NOW, background: () => {} }),
  }), only<Outbox>({ apply: async () => ({ refused: 'gone' }), run: async () => {} }))
  return {
    reads, commands, ask: (text: string, place: readonly string[] = ROOM) => commands.answer(parseCommand(text), place),
  }
}

const waitingSubmissions = (count: number) => Array.from({ length: count }, (_, index): Submission => ({
  ...submissionOf({ name: `Person ${index}`, email: `p${index}@example.com` }),
  id: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`, receivedAt: NOW - index * MINUTE,
}))
const speechIn = (answer: BotAnswer) => (
  'speech' in answer ? answer.speech : { text: [] as string[], items: undefined }
)
const textOf = (answer: BotAnswer) => inWords(speechIn(answer)).text.join('\n')

describe('pending', () => {
  test('says how many wait, since when the oldest does, and lists the newest with id, preview and link', async () => {
    const answer = await commandsFor(waitingSubmissions(7)).ask('pending')
    expect(textOf(answer)).toBe('7 submissions wait. The oldest arrived on 21 Nov 2026, 11:54 UTC. The newest 5:')
    expect(speechIn(answer).items).toHaveLength(5)
    expect(inWords(speechIn(answer).items![0])).toEqual({
      label: '00000000', value: 'Received 21 Nov 2026, 12:00 UTC\nname: Person 0\nemail: p0@example.com',
      link: {
        label: 'Open 00000000', url: 'https://forms.example.com/submissions/00000000-0000-4000-8000-000000000000',
      },
    })
  })

  test('with none says so', async () => {
    expect(textOf(await commandsFor([]).ask('pending'))).toBe('No submission waits. All done.')
  })

  test('reads a bounded number, and then does not claim to know the oldest', async () => {
    const { ask, reads } = commandsFor(waitingSubmissions(1001))
    expect(textOf(await ask('pending'))).toBe('At least 1,000 submissions wait. The newest 5:')
    expect(reads.reduce((total, limit) => total + limit, 0)).toBe(1000)
  })

  test('keeps a preview short, whatever the form says', async () => {
    const longSubmission = submissionOf({
      ['k'.repeat(500)]: `a\n\n${'😀'.repeat(500)}`, b: 1, c: null, d: 'not shown',
    })
    const value = plainText(speechIn(await commandsFor([longSubmission]).ask('pending')).items![0]!.value)
    expect(value.length).toBeLessThan(400)
    expect(value).toContain(`a ${'😀'.repeat(38)}…\n`)
    expect(value).not.toContain('not shown')
  })

  test('outside the rooms tells nothing, not even how many', async () => {
    const { ask, reads } = commandsFor(waitingSubmissions(2))
    expect(await ask('pending', ['slack/D1'])).toEqual({
      speech: { text: ['Forms are shown only in the channel of the cards: ask me there.'] },
    })
    expect(reads).toEqual([])
  })
})

describe('show', () => {
  test.each([
    ['00000003-0000-4000-8000-000000000000'], ['00000003'], ['person 3'], ['P3@EXAMPLE.com'], ['email: p3'],
  ])('finds the one that matches %j', async (query) => {
    expect(await commandsFor(waitingSubmissions(7)).ask(`show ${query}`)).toMatchObject({
      card: { submissionId: '00000003-0000-4000-8000-000000000000', actions: decisions() },
    })
  })

  test('lists several matches, the newest first', async () => {
    const answer = await commandsFor(waitingSubmissions(7)).ask('show example.com')
    expect(textOf(answer)).toBe('7 submissions match. The newest 5:')
    expect(speechIn(answer).items![0]!.label).toContain('00000000')
  })

  test.each([
    ['nobody'], ['ffffffff-0000-4000-8000-000000000000'], ['%2e%2e'], ['.*'],
  ])('says that nothing matches %j', async (query) => {
    expect(
      textOf(await commandsFor(waitingSubmissions(2)).ask(`show ${query}`)),
    ).toContain(`No waiting submission matches “${query}”`)
  })

  test('of one that has many cards already posts no further one, but leads to it', async () => {
    const cards = Array.from(
      { length: 20 }, (_, index) => ({ platform: 'slack', threadId: 'slack:C1:1', messageId: String(index) }),
    )
    const [submission] = waitingSubmissions(1).map(submission => ({ ...submission, cards }))
    for (const query of [submission!.id, 'person']) {
      const answer = await commandsFor([submission!]).ask(`show ${query}`)
      expect(textOf(answer)).toContain('20 cards already')
      expect(speechIn(answer).items![0]!.link!.url).toContain(submission!.id)
    }
    expect(
      await commandsFor([{ ...submission!, cards: cards.slice(1) }]).ask(`show ${submission!.id}`),
    ).toMatchObject({ card: { submissionId: submission!.id } })
  })

  test('without words asks which, and outside the rooms shows nothing', async () => {
    const { ask } = commandsFor(waitingSubmissions(1))
    expect(textOf(await ask('show'))).toContain('Which one?')
    expect(await ask('show Person 0', [])).toEqual({
      speech: { text: [expect.stringContaining('only in the channel of the cards')] },
    })
  })

  test('a card that came too late is told to offer nothing', async () => {
    expect(
      await commandsFor([]).commands.shown('gone', { platform: 'slack', threadId: 't', messageId: 'm' }),
    ).toMatchObject({ submissionId: 'gone', actions: [], notes: ['Not kept any more.'] })
  })
})

describe('status', () => {
  const line = (outcome: AuditLine['outcome'], at: number): AuditLine => ({
    id: String(at), outcome, at, reviewer: null, receivedAt: at,
  })
  const lines = [
    line('forwarded', NOW - 1), line('spam', NOW - MINUTE), line('forwarded', NOW - 2 * MINUTE),
    line('expired', NOW - 25 * 60 * MINUTE),
  ]

  test('names what waits and happened before where forwards go, of which there may be more than a message takes', async () => {
    expect(textOf(await commandsFor(waitingSubmissions(3), lines).ask('status'))).toBe([
      'Connected: Slack, Discord', 'Waiting: 3', 'Last 24 hours: 2 forwarded, 1 marked as spam, 0 expired',
      'Forwards go to: team@example.com and crm.example.com',
      'Forwards of Contact go to: team@example.com and downstream.example.com',
    ].join('\n'))
    const answer = await commandsFor([], [], formsOf({}, { jobs: { name: 'Jobs' } })).ask('status')
    expect(textOf(answer)).toMatch(/\nAll forwards go to: team@example\.com and downstream\.example\.com$/)
  })

  test('does not count what was taken back or failed since, and counts what was erased', async () => {
    const linesOf = (id: string, ...outcomes: AuditLine['outcome'][]) => outcomes.map(
      (outcome, index) => ({ ...line(outcome, NOW - index * MINUTE), id }),
    )
    const auditTrail = [
      ...linesOf('a', 'revoked', 'spam'), ...linesOf('b', 'forwarded', 'failed', 'forwarded'),
      ...linesOf('c', 'erased', 'edited'),
      ...linesOf('d', 'erased', 'revoked', 'spam'),
    ]
    expect(textOf(await commandsFor([], auditTrail.sort((a, b) => b.at - a.at)).ask('status'))).toContain(
      '2 forwarded, 0 marked as spam, 0 expired',
    )
  })

  test('outside the rooms keeps addresses and numbers to itself', async () => {
    expect(
      textOf(await commandsFor(waitingSubmissions(3), lines).ask('status', ['slack/D1'])),
    ).toBe('Connected: Slack, Discord\nForms are shown only in the channel of the cards: ask me there.')
  })
})

test('anything else is answered with the hint to help', async () => {
  expect(textOf(await commandsFor([]).ask('good morning'))).toContain('Type help')
})

describe('a form with a channel of its own', () => {
  const publicSubmission = { ...submissionOf({ name: 'Public' }), id: '11111111-0000-4000-8000-000000000000' }
  const confidentialSubmission = {
    ...submissionOf({ name: 'Confidential' }), id: '22222222-0000-4000-8000-000000000000', form: 'hr',
  }
  const removedSubmission = {
    ...submissionOf({ name: 'Left over' }), id: '33333333-0000-4000-8000-000000000000', form: 'gone',
    cards: [{ platform: 'slack', threadId: 'slack:C3:1', messageId: '1' }],
  }
  const { ask } = commandsFor([publicSubmission, confidentialSubmission, removedSubmission], [
    { id: 'a', outcome: 'spam', at: NOW, reviewer: null, receivedAt: NOW },
    { id: 'b', form: 'hr', outcome: 'forwarded', at: NOW, reviewer: null, receivedAt: NOW },
  ])

  test.each([
    ['the default channel', ROOM, 'Public'], ['its own', HR, 'Confidential'],
  ])('is listed and counted in its own only: in %s %s', async (_, place, name) => {
    const answer = await ask('pending', place)
    expect(textOf(answer)).toMatch(/^1 submission waits/)
    expect(speechIn(answer).items!.map(({ value }) => plainText(value).split('\n').at(-1))).toEqual([`name: ${name}`])
  })

  test('is shown in its own only, by words and by id', async () => {
    for (const query of ['confidential', confidentialSubmission.id, confidentialSubmission.id.slice(0, 8)]) {
      expect(await ask(`show ${query}`, HR)).toMatchObject({ card: { submissionId: confidentialSubmission.id } })
      expect(textOf(await ask(`show ${query}`, ROOM))).toContain('No waiting submission matches')
    }
    expect(textOf(await ask(`show ${publicSubmission.id}`, HR))).toContain('No waiting submission matches')
  })

  test('has its own status', async () => {
    expect(textOf(await ask('status', HR))).toBe([
      'Connected: Slack, Discord', 'Waiting: 1', 'Last 24 hours: 1 forwarded, 0 marked as spam, 0 expired',
      'Forwards of HR go to: hr@example.com',
    ].join('\n'))
    expect(textOf(await ask('status', ROOM))).toContain('Last 24 hours: 0 forwarded, 1 marked as spam')
  })

  test('that is not configured any more is nowhere but where its cards are', async () => {
    expect(textOf(await ask(`show ${removedSubmission.id}`, ROOM))).toContain('No waiting submission matches')
    expect(await ask(`show ${removedSubmission.id}`, ['slack/C3', ...HR])).toMatchObject({
      card: { submissionId: removedSubmission.id },
    })
  })
})

describe('an answer for one person alone', () => {
  test('has no buttons that would act later, and leads to the card of this room that has', async () => {
    const card = (channel: string) => (
      { platform: 'slack', threadId: `slack:${channel}:1`, messageId: `in-${channel}` }
    )
    const [submission] = waitingSubmissions(1) as [Submission]
    const { commands, ask } = commandsFor([{ ...submission, cards: [card('C1'), card('C9')] }])
    expect(await commands.alone(await ask(`show ${submission.id}`), ROOM)).toMatchObject({ card: {
      submissionId: submission.id, actions: [], decideAt: 'https://example.slack.com/in-C1',
    } })
    expect(await commands.alone(await ask('help'), ROOM)).toMatchObject({ speech: { buttons: [] } })
  })
})

describe('a command', () => {
  test.each([
    ['help', 'help', ''], ['HELP', 'help', ''], ['/help', 'help', ''], ['help!', 'help', ''],
    ['  Pending?  ', 'pending', ''], ['status.', 'status', ''],
    ['@form-bot pending', 'pending', ''], ['<@U012ABCDEF> status', 'status', ''], ['<@!1234567890>, help', 'help', ''],
    ['<@U1|form-bot>: help', 'help', ''],
    ['@form-bot <@U1> help', 'help', ''], ['help @form-bot', 'help', ''], ['help <@1234567890>', 'help', ''],
    ['show 0b1f2c3d', 'show', '0b1f2c3d'], ['Show  Ada Lovelace ', 'show', 'Ada Lovelace'], ['show', 'show', ''],
    ['show\ntwo\nlines', 'show', 'two\nlines'],
    ['show ada@example.com', 'show', 'ada@example.com'],
    ['show @acme', 'show', '@acme'], ['/show  @acme.example ', 'show', '@acme.example'],
    ['@form-bot show @acme', 'show', '@acme'], ['<@U1> show @acme', 'show', '@acme'],
    ['show ada @form-bot', 'show', 'ada'], ['show <@U1>', 'show', ''], ['@form-bot show', 'show', ''],
  ])('is read from %j', (text, name, argument) => expect(parseCommand(text)).toEqual({ name, argument }))

  test.each([
    '', '   ', '@form-bot', 'helpless', 'help me please', 'status quo', 'what is pending', '!!!', 'показать', '/',
  ])('is not read from %j', text => expect(parseCommand(text)).toEqual({ name: null, argument: '' }))
})

test('an address in the middle of a sentence stays', () => {
  expect(withoutAddress('@form-bot ask @ada about it')).toBe('ask @ada about it')
})
