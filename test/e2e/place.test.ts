import { beforeAll, describe, expect, it } from 'vitest'
import { adaptiveCardActions, adaptiveCardText, type Json } from '../support/adaptive-card'
import { blockText } from '../support/block-kit'
import { cardOf, click, deploy, emailsAbout, openEdit, submitEdit, submitForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { repointed } from '../support/preloaded'
import { blockActions, CHANNEL, inChannel, interact, type Block, type SlackMessage } from '../support/slack'
import { mention, postsIn, say, whispers } from '../support/slack-talk'
import { startTeams } from '../support/teams'
import { until } from '../support/until'

/** Channel that the Slack emulator creates as #random, used by the form with its own channel */
const HR = 'C000000002'
const TOKEN = 'a-token-for-prometheus'
const ELSEWHERE = 'This submission belongs to another channel, so nothing was changed. Decide it on its card there.'

const teams = endAfterAll(await startTeams())
const FORMS_CONFIG = formsFile({ hr: { name: 'HR', channels: { slack: HR }, to: ['hr@example.com'] } })
const d = endAfterAll(await deploy({
  ...teams.env, ...repointed(teams.hosts), FORMS_CONFIG,
  METRICS_TOKEN: TOKEN, CARD_INTERVAL_MS: '0',
}))

/** Sends a form; resolves with its id once its cards are posted. */
async function send(path = '', data: object = { name: 'Ada' }): Promise<string> {
  const id = await submitForm(d.server, data, path)
  await until('its cards', () => path !== '' || teams.cardOf(id))
  await d.server.drain()
  return id
}

/** Returns the emails about it, once no background work is left. */
const sentAbout = async (id: string) => {
  await d.server.drain()
  return emailsAbout(d, id)
}
const refusals = (id: string) => d.server.output().split('\n').filter(line => line.includes('"review.misplaced"')
  && line.includes(id)).map(line => JSON.parse(line) as Json)

async function counted(platform: string): Promise<number> {
  const answer = await fetch(`${d.server.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const line = new RegExp(`^triage_misplaced_decisions_total\\{platform="${platform}"\\} (\\d+)$`, 'm')
  return Number(line.exec(await answer.text())?.[1] ?? 0)
}

/** Checks that `times` attempts had no effect, and that the log reports them without the form. */
async function expectRefused(id: string, platform: string, before: number, times: number): Promise<void> {
  expect(await sentAbout(id)).toEqual([])
  await until('the log', () => refusals(id).length >= times)
  expect(refusals(id)).toHaveLength(times)
  expect(refusals(id)[0]).toMatchObject({ level: 'warn', submission: id, platform })
  expect(await counted(platform)).toBe(before + times)
  expect(d.server.output()).not.toContain('"Ada"')
}

/** Clicks on Slack as if the card were in this channel. */
function clickIn(channel: string, card: SlackMessage, action: string, id: string, trigger?: string): Promise<Response> {
  return interact(d.server.url, inChannel(blockActions(card, action, id, d.slack.reviewer, trigger), channel))
}

describe('a button on Teams', () => {
  const PERSONAL = 'a:1personal'
  beforeAll(() => void teams.joined.add(PERSONAL))

  it('of a dialog decides only what belongs to where it is sent from, whatever the client puts into it', async () => {
    const [id, hr] = [await send(), await send('/hr')]
    const before = await counted('teams')
    const opened = await teams.click(d.server.url, teams.cardOf(id)!, 'Edit & Forward')
    const dialog = (await opened.json() as Json).task.value.card.content as Json
    const forged = structuredClone(dialog)
    forged.actions[0].data.dialog.modal.privateMetadata = hr
    for (const [sent, from] of [[forged, undefined], [dialog, PERSONAL]] as const) {
      const answer = await teams.submit(d.server.url, sent, { f0: 'Mallory' }, { conversation: from })
      expect(adaptiveCardText((await answer.json() as Json).task.value.card.content as Json)).toBe(ELSEWHERE)
    }
    await until('the log', () => refusals(id).length + refusals(hr).length >= 2)
    expect([...await sentAbout(id), ...await sentAbout(hr)]).toEqual([])
    expect([refusals(id).length, refusals(hr).length, await counted('teams')]).toEqual([1, 1, before + 2])
    await teams.submit(d.server.url, dialog, { f0: 'Grace' })
    expect(await sentAbout(id)).toHaveLength(1)
    const closed = teams.messages().find(({ card }) => adaptiveCardText(card).includes('Grace'))!
    expect(adaptiveCardActions(closed.card)).toEqual([])
  })
})

describe('a button on Slack', () => {
  it('pressed in a direct message or another form\'s channel decides nothing, and opens no form, which is told', async () => {
    const id = await send()
    const card = await cardOf(d, id)
    const before = await counted('slack')
    const opened = d.slack.calls('views.open').length
    for (const channel of [d.slack.dmChannel, HR]) {
      for (const action of ['forward', 'spam', 'edit']) {
        expect((await clickIn(channel, card, action, id, await d.slack.trigger())).status).toBe(200)
      }
    }
    await expectRefused(id, 'slack', before, 6)
    expect(whispers(d.slack).map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => ELSEWHERE))
    const views = d.slack.calls('views.open').slice(opened).map(({ view }) => JSON.stringify(view))
    expect(views.filter(view => !view.includes(ELSEWHERE))).toEqual([])
  })

  it('pressed in a thread of the channel counts, before the card is on record too', async () => {
    const id = await send()
    const card = await cardOf(d, id)
    await click(d, { ...card, ts: '1790000000.000001', thread_ts: card.ts }, 'forward', id)
    expect(await sentAbout(id)).toHaveLength(1)
  })

  it('of a form decides only what belongs to where it was opened', async () => {
    const [id, hr] = [await send(), await send('/hr')]
    const before = await counted('slack')
    const view = await openEdit(d, await cardOf(d, id), id)
    const forged = { ...view, private_metadata: String(view.private_metadata).replace(id, hr) }
    expect(forged.private_metadata).toContain(hr)
    const answer = await submitEdit(d, forged, {})
    expect(answer).toMatchObject({ response_action: 'update' })
    expect(blockText((answer.view as Block).blocks as Block[])).toContain(ELSEWHERE)
    await expectRefused(hr, 'slack', before, 1)
    await submitEdit(d, view, {})
    expect(await sentAbout(id)).toHaveLength(1)
  })
})

describe('a form with a channel of its own', () => {
  const ask = async (channel: string, words: string) => {
    const thread = await mention(d.server.url, d.slack, words, { channel })
    await d.server.drain()
    return postsIn(d.slack, thread, channel).map(({ blocks }) => blockText(blocks as Block[])).join('\n')
  }

  it('is decided there, and nowhere else', async () => {
    const id = await send('/hr')
    const card = await cardOf(d, id, HR)
    await clickIn(CHANNEL, card, 'forward', id)
    expect(await sentAbout(id)).toEqual([])
    await clickIn(HR, card, 'forward', id)
    expect(await sentAbout(id)).toHaveLength(1)
  })

  it('is listed, counted and shown there, and not in the channel of the others', async () => {
    const ours = await send('', { name: 'Public person' })
    const theirs = await send('/hr', { name: 'Confidential person' })
    const [here, there] = [await ask(CHANNEL, 'pending'), await ask(HR, 'pending')]
    expect(here).toContain('Public person')
    expect(here).not.toContain('Confidential')
    expect(there).toContain('Confidential person')
    expect(there).not.toContain('Public')
    const waiting = (answer: string) => Number(/(\d+) submissions? waits?/.exec(answer)![1])
    expect(waiting(here) + waiting(there)).toBeGreaterThan(1)
    expect(await ask(CHANNEL, `show ${theirs}`)).toContain('No waiting submission matches')
    expect(await ask(HR, `show ${ours}`)).toContain('No waiting submission matches')
    expect(await ask(HR, 'show confidential')).toContain('New Form Submission: HR')
    expect(await ask(HR, 'status')).toMatch(/Waiting: \d+[^]*Forwards of HR go to: hr@example\.com/)
    expect(await ask(HR, 'status')).not.toContain('triage@example.com')
  })

  it('is not told of in direct messages, not even how many wait', async () => {
    const inPrivate = { channel: d.slack.dmChannel }
    for (const words of ['pending', 'status', 'show person']) await say(d.server.url, d.slack, words, inPrivate)
    await d.server.drain()
    const answers = postsIn(d.slack, '', d.slack.dmChannel).map(({ blocks }) => blockText(blocks as Block[]))
    expect(answers).toHaveLength(3)
    for (const answer of answers) {
      expect(answer).toContain('Forms are shown only in the channel of the cards')
      expect(answer).not.toMatch(/\d|person|example\.com/)
    }
  })
})
