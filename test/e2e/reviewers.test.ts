import { describe, expect, it } from 'vitest'
import type { SessionState } from '../../shared/types/session'
import { cardOf, click } from '../support/deployment'
import { buttonOf } from '../support/discord/edit-form'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { blockActions, interact } from '../support/slack'
import { whispers } from '../support/slack-talk'
import { timed } from '../support/stopwatch'
import { answerTo } from '../support/unlisted'
import { until } from '../support/until'

const TOKEN = 'a-token-for-prometheus'
const ROLE = '700000000000000007'
const GROUP = 'S0123456789'
/** Reviewer only as a member of the user group */
const LIN = 'U0000000LIN'
const ALL = Object.keys(PLATFORMS)
/** Members of the user group */
let members: string[] = []

const d = await deployEverywhere((ada, slack) => ({
  forms: {
    open: { name: 'Open', reviewers: ada },
    group: { name: 'Group', reviewers: [`slack:${GROUP}`, `slack:${slack.colleague.id}`] },
  },
  env: {
    METRICS_TOKEN: TOKEN, TAKE: '1',
    REVIEWERS: `slack:${slack.colleague.id},discord:role:${ROLE},ops:grace hopper`,
    PEOPLE: `*grace* = slack:${slack.colleague.id}, ops:Grace Hopper; lin = slack:${LIN}, ops:Lin`,
  },
}))
d.slack.fault = ({ path, body }) => {
  if (!path.endsWith('/usergroups.users.list')) return undefined
  expect(new URLSearchParams(body).get('usergroup')).toBe(GROUP)
  return { status: 200, body: JSON.stringify({ ok: true, users: members }) }
}
const { send, on, emailsAbout, signedIn } = d
// Warm up: the first click on a platform loads it, which is slow on a busy machine.
const id = await send()
for (const platform of ALL) await answerTo(on(platform), () => on(platform).click(id, 'spam'))

const events = (id: string) => d.server.output().split('\n').filter(line => (
  line.includes('"review.refused"') && line.includes(id)
)).map(line => JSON.parse(line) as object)

async function counted(platform: string): Promise<number> {
  const answer = await fetch(`${d.server.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const line = new RegExp(`^triage_refused_decisions_total\\{platform="${platform}"\\} (\\d+)$`, 'm')
  return Number(line.exec(await answer.text())?.[1] ?? 0)
}

const stateOf = async (id: string) => (await d.shown(id)).state

const LATER = expect.stringMatching(/try again in a moment\.$/) as string
const TRY_AGAIN = { code: 'PEOPLE_UNKNOWN', error: LATER, message: LATER }
const ONLY_GRACE = /^Only \*grace\* and others may decide this\.$/

describe('somebody who is none of the reviewers', () => {
  it.each(ALL)('on %s decides nothing by a click, reads alone who may, within 3 s, and leaves an event', async (platform) => {
    const id = await send()
    const before = await counted(platform)
    for (const action of ['forward', 'spam', 'take'] as const) {
      const { result, ms } = await timed(d.server, () => answerTo(on(platform), () => on(platform).click(id, action)))
      expect(result).toMatch(ONLY_GRACE)
      expect(ms).toBeLessThan(3000)
    }
    await d.server.drain()
    expect([await stateOf(id), (await d.shown(id)).holder, emailsAbout(id)]).toEqual(['waiting', null, []])
    expect(events(id)).toEqual(['forward', 'spam', 'take'].map(action => (
      expect.objectContaining({ level: 'warn', submission: id, action, platform })
    )))
    expect(await counted(platform)).toBe(before + 3)
    expect(d.server.output()).not.toContain('"Ada"')
  })

  it('on Slack reads it in the channel, also where somebody has answered the card', async () => {
    const id = await send()
    const { thread_ts: _, ...card } = await cardOf(d, id)
    for (const message of [card, { ...card, thread_ts: card.ts }]) {
      const before = whispers(d.slack).length
      await interact(d.server.url, blockActions(message, 'forward', id, d.slack.reviewer))
      await until('the refusal', () => whispers(d.slack).length > before)
      expect(whispers(d.slack).at(-1)).not.toHaveProperty('thread_ts')
    }
  })

  it.each(ALL.filter(key => PLATFORMS[key]!.modal))('on %s gets no edit form', async (platform) => {
    const id = await send()
    const opened = d.slack.calls('views.open').length
    expect(await on(platform).edit!(id)).toMatch(ONLY_GRACE)
    expect([d.slack.calls('views.open').length, await stateOf(id)]).toEqual([opened, 'waiting'])
    expect(events(id)).toHaveLength(1)
  })

  it.each(['slack', 'teams'])('on %s decides nothing by a form of another submission that is replayed for this one', async (platform) => {
    const [id, own] = [await send(), await send('/open')]
    expect(await on(platform).replay!(id, own)).toMatch(ONLY_GRACE)
    await d.server.drain()
    expect([await stateOf(id), emailsAbout(id)]).toEqual(['waiting', []])
    expect(events(id)).toHaveLength(1)
  })

  it('at the API gets 403 that says who may, for whatever they try', async () => {
    const id = await send()
    const ada = await signedIn('Ada Lovelace')
    const taking = await ada.post(`/api/submissions/${id}/holder`, {})
    expect([taking.status, await taking.json()]).toMatchObject([403, { code: 'NOT_A_REVIEWER' }])
    const bodies = [
      { action: 'forward' }, { action: 'spam' }, { action: 'undo' }, { action: 'reopen' },
      { action: 'edit', values: { f0: 'x' } },
    ]
    for (const body of bodies) {
      const answer = await ada.post(`/api/submissions/${id}/decision`, body)
      const said = expect.stringMatching(ONLY_GRACE) as string
      const refused = { error: said, message: said, code: 'NOT_A_REVIEWER' }
      expect([answer.status, await answer.json()]).toEqual([403, refused])
    }
    expect(await (await ada.get(`/api/submissions/${id}`)).json()).toMatchObject({ open: true, mayDecide: false })
    expect([await stateOf(id), events(id).length]).toEqual(['waiting', bodies.length + 1])
  })

  it('neither releases nor erases what is held', async () => {
    const id = await send('', { _gotcha: 'x' })
    const ada = await signedIn('Ada Lovelace')
    expect((await ada.post(`/api/submissions/${id}/decision`, { action: 'release' })).status).toBe(403)
    const deleted = await fetch(`${d.server.url}/api/submissions/${id}`, {
      method: 'DELETE', headers: { cookie: [...ada.cookies].map(pair => pair.join('=')).join('; ') },
    })
    expect([deleted.status, await stateOf(id)]).toEqual([403, 'held'])
  })
})

describe('a reviewer', () => {
  it.each(ALL)('who is listed by their id on %s decides there', async (platform) => {
    const id = await send('/open')
    const before = on(platform).heard().length
    await on(platform).click(id, 'forward')
    await until('the email', () => emailsAbout(id).length > 0)
    await d.server.drain()
    // WhatsApp shows the result in a reply below the card; other platforms send nothing in private.
    if (platform !== 'whatsapp') expect(on(platform).heard()).toHaveLength(before)
    expect(events(id)).toEqual([])
  })

  it('is one person wherever PEOPLE says so', async () => {
    const id = await send()
    const grace = await signedIn()
    expect(await (await grace.get(`/api/submissions/${id}`)).json()).toMatchObject({ mayDecide: true })
    expect((await grace.post(`/api/submissions/${id}/decision`, { action: 'spam' })).status).toBe(200)
    const audit = await (await grace.get('/api/exports/audit.json')).json() as object[]
    expect(audit[0]).toMatchObject({ id, outcome: 'spam', reviewer: { name: 'Grace Hopper', person: '*grace*' } })
  })

  it('by role on Discord is out with the next click after losing it', async () => {
    const { discord } = d.doubles
    const id = await send()
    discord.roles.set(discord.user.id, ['700000000000000001', ROLE])
    const url = `${d.server.url}/api/webhooks/discord`
    const card = await until('the card', () => discord.cardOf(id))
    const { opened } = await discord.click(url, card, buttonOf('edit', id))
    discord.roles.delete(discord.user.id)
    const { message } = await discord.submitModal(url, opened!, {})
    expect(message!.content.replaceAll('\\', '')).toMatch(ONLY_GRACE)
    expect(await stateOf(id)).toBe('waiting')
    discord.roles.set(discord.user.id, [ROLE])
    expect((await discord.click(url, card, buttonOf('forward', id))).body).toEqual({ type: 6 })
    discord.roles.delete(discord.user.id)
    await until('the email', () => emailsAbout(id).length > 0)
  })

  it('by group on Slack is asked for once a minute, and while Slack does not say it others try again', async () => {
    members = [d.slack.reviewer.id, LIN]
    const asked = () => d.slack.calls('usergroups.users.list').length
    const fault = d.slack.fault
    d.slack.fault = request => request.path.endsWith('/usergroups.users.list') ? 'drop' : fault(request)
    const first = await send('/group')
    expect(await answerTo(on('slack'), () => on('slack').click(first, 'spam'))).toMatch(/try again in a moment\.$/)
    const lin = await signedIn('Lin')
    const session = async () => (await (await lin.get('/api/auth/session')).json() as SessionState).viewer?.role
    expect(await session()).toBeNull()
    expect(await (await lin.get(`/api/submissions/${first}`)).json()).toMatchObject({ open: true, mayDecide: null })
    for (const path of [`/api/submissions/${first}/decision`, `/api/submissions/${first}/cards`, '/api/setup/email']) {
      const answer = await lin.post(path, path.endsWith('decision') ? { action: 'spam' } : {})
      expect([answer.status, await answer.json()]).toEqual([503, TRY_AGAIN])
    }
    const card = await cardOf(d, first)
    expect((await interact(d.server.url, blockActions(card, 'spam', first, d.slack.colleague))).status).toBe(200)
    await until('the decision', async () => (await (await signedIn()).get(`/api/submissions/${first}`)).status === 410)
    d.slack.fault = fault
    await until('what Lin may do', async () => await session() === 'reviewer')
    const again = await send('/group')
    await until('Slack is asked again', async () => {
      await click(d, await cardOf(d, again), 'forward', again)
      return emailsAbout(again).length === 1
    })
    const before = asked()
    const id = await send('/group')
    await click(d, await cardOf(d, id), 'forward', id)
    expect(emailsAbout(id)).toHaveLength(1)
    expect(asked()).toBe(before)
  })
})
