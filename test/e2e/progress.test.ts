import { afterEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, introduce, openEdit, submit, submitEdit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll } from '../support/lifetime'
import { startServer } from '../support/server'
import { timed } from '../support/stopwatch'
import { blockActions, interact, type SlackMessage } from '../support/slack'
import { until } from '../support/until'

const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deploy({ ...discord.env, NODE_ENV: 'development', LEASE_MS: '6000' }))
await introduce(d)
afterEach(() => {
  d.slack.fault = () => undefined
  d.resend.fault = () => undefined
  d.endpoint.fault = () => undefined
})

const host = () => new URL(d.endpoint.url).host
const shows = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)
const edits = (card: SlackMessage) => (
  d.slack.calls('chat.update').filter(({ ts }) => ts === card.ts).map(({ blocks }) => blockText(blocks as never))
)
/** True for an edit without "Being sent to". Only early edits of a slow delivery contain these words. */
const isFinal = (text: string) => !text.includes('Being sent to ')
/** Resolves when the card says that the endpoint is done and the email is on its way. */
const halfSent = (card: SlackMessage) => until('the card to say so', async () => {
  const text = await shows(card)
  return text.includes('Being sent to triage@example.com') && text.includes(`Sent to ${host()}`)
})
const buttons = async (card: SlackMessage) => (await cardNow(d, card)).blocks.filter(({ type }) => (
  type === 'actions'
)).flatMap(({ elements }) => elements as { action_id: string, text: { text: string }, value: string }[])
const emailsAbout = async (id: string) => (await d.resend.emails()).filter(({ html }) => html.includes(id))
const postsAbout = (id: string) => (
  d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))
)
const REFUSED = { status: 403, body: '{"name":"invalid_api_key","message":"API key is invalid","statusCode":403}' }

/** Forwards from the card, without waiting for the effects. */
const forward = (card: SlackMessage, id: string) => interact(
  d.server.url, blockActions(card, 'forward', id, d.slack.reviewer),
)

describe('a card while its submission is being forwarded', () => {
  it('is edited once in each room when all goes out at once, however often it is clicked', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    await until('the other card', () => JSON.stringify(discord.messages()).includes(id))
    const edited = () => discord.requests.filter(({ method }) => method === 'PATCH')
    const before = edited().length
    await Promise.all(Array.from({ length: 50 }, () => forward(card, id)))
    await d.server.drain()
    expect(edits(card).filter(isFinal)).toEqual([expect.stringContaining(`Sent to triage@example.com and ${host()}`)])
    expect(edited().slice(before).filter(({ body }) => isFinal(body))).toHaveLength(1)
  })

  it('says soon what is being sent and what was, then that all of it was', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = () => ({ hold: gate.promise })
    expect((await forward(card, id)).status).toBe(200)
    const { ms } = await timed(d.server, () => halfSent(card))
    expect(ms).toBeLessThan(5000)
    expect(await shows(card)).toContain('Form Submission being forwarded')
    expect(await shows(card)).not.toContain('Sent to triage@example.com')
    expect(await buttons(card)).toEqual([])
    expect(await (await fetch(`${d.server.url}/api/submissions/${id}`)).json()).toMatchObject({
      state: 'delivering',
      notes: [
        ['Forwarded by Ada Lovelace on Slack, ', expect.anything(), '.'], `Sent to ${host()}`,
        'Being sent to triage@example.com',
      ],
    })
    gate.resolve(undefined)
    await until(
      'the card to follow', async () => (await shows(card)).includes(`Sent to triage@example.com and ${host()}`),
    )
    // On a busy machine, the endpoint is slow too, which causes one more edit.
    expect(edits(card).filter(text => !text.includes('Being sent to triage@example.com and'))).toHaveLength(2)
  })

  it('follows after a kill between "being sent" and the delivery', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = () => ({ hold: gate.promise.then(() => { throw new Error('the sender is gone') }) })
    await forward(card, id)
    await halfSent(card)
    await d.server.kill()
    d.resend.fault = () => undefined
    gate.resolve(undefined)
    d.server = await startServer(d.env)
    await until(
      'the card to follow', async () => (await shows(card)).includes(`Sent to triage@example.com and ${host()}`),
    )
    expect(await emailsAbout(id)).toHaveLength(1)
    expect(postsAbout(id)).toHaveLength(1)
  })
})

describe('a submission of which one delivery was refused for good', () => {
  /** Creates a reopened submission: its email was refused, and its endpoint call succeeded. */
  async function reopened(data: object) {
    const { id, card } = await submit(d, data)
    d.resend.fault = ({ method }) => method === 'POST' ? REFUSED : undefined
    await click(d, card, 'forward', id)
    d.resend.fault = () => undefined
    return { id, card }
  }

  it('costs one edit of its card, which says what is left and offers that', async () => {
    const { id, card } = await reopened({ name: 'Ada' })
    expect(edits(card).filter(isFinal)).toHaveLength(1)
    const text = await shows(card)
    for (const line of [
      'Email failed: Resend refused the API key (403). Check MAIL_API_KEY.', `Sent to ${host()} on `,
      'Forward again to send only the email: the endpoint has it.',
    ]) expect(text).toContain(line)
    expect((await buttons(card)).map(({ action_id, text, value }) => [action_id, text.text, value])).toEqual([
      ['forward', 'Retry email', id], ['edit', 'Edit & Forward', id], ['spam', 'Mark as Spam', id],
    ])
    const page = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json()
    expect(page).toMatchObject({ open: true, destinations: ['triage@example.com', host()], retry: {
      label: 'Retry email', destinations: ['triage@example.com'],
    } })
  })

  it('goes to both when it is edited, under a new key at the endpoint', async () => {
    const { id, card } = await reopened({ name: 'Ada' })
    await submitEdit(d, await openEdit(d, card, id), { f0: 'Grace' })
    expect(postsAbout(id).map(({ body }) => body)).toEqual(['{"name":"Ada"}', '{"name":"Grace"}'])
    expect(new Set(postsAbout(id).map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect((await emailsAbout(id)).map(({ subject }) => subject)).toEqual(['Form submission from Grace'])
  })

  it('gets a corrected email when it was edited after the email was out, and the endpoint hears of no correction that changes nothing', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    d.endpoint.fault = () => ({ status: 422 })
    await click(d, card, 'forward', id)
    expect((await buttons(card))[0]!.text.text).toBe('Retry endpoint')
    await submitEdit(d, await openEdit(d, card, id), { f0: 'Grace' })
    expect(await shows(card)).toContain('Sent to triage@example.com on ')
    const emails = await emailsAbout(id)
    expect(emails.map(({ subject }) => subject).sort()).toEqual([
      'Corrected: Form submission from Grace', 'Form submission from Ada',
    ])
    const corrected = emails.find(({ subject }) => subject.startsWith('Corrected'))!
    for (const part of [corrected.html, corrected.text]) expect(part).toMatch(
      /This corrects the email that was sent on \d+ \w+ \d{4}, \d\d:\d\d UTC/,
    )
    const headers = d.resend.requests.filter(({ body }) => body.includes(id)).map(({ body }) => (
      (JSON.parse(body) as { headers: Record<string, string> }).headers
    ))
    const firstId = `<${id}@example.com>`
    expect(headers).toEqual([
      expect.objectContaining({ 'X-Entity-Ref-ID': id, 'Message-ID': firstId }),
      expect.objectContaining({ 'X-Entity-Ref-ID': id, 'In-Reply-To': firstId, 'References': firstId }),
    ])
    expect(headers[1]!['Message-ID']).toMatch(RegExp(`^<${id}-[0-9a-f]{16}@example\\.com>$`))
    d.endpoint.fault = () => undefined
    await click(d, card, 'forward', id)
    expect(await emailsAbout(id)).toHaveLength(2)
    expect(postsAbout(id).filter(({ status }) => status === 200).map(({ body }) => body)).toEqual(['{"name":"Grace"}'])
    expect(await shows(card)).toContain(`Sent to triage@example.com and ${host()}`)
  })
})
