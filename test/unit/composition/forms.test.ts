import { expect, test } from 'vitest'
import { z } from 'zod'
import { createForms, rulesOf, sampleUpload } from '../../../server/composition/forms'
import type { Config } from '../../../server/config'
import { orderedObject } from '../../../server/domain/json'
import type { Platform } from '../../../server/platforms/traits'

const connected = (key: string, channel: Platform['channel'], channelId: string | null = 'C1') => (
  { platform: { key, channel } as Platform, channelId }
)

const reviewersOfMissing = (reviewers?: string[], forms: Record<string, string[] | undefined> = {}) => createForms({
  people: { reviewers, claimMs: null }, endpoint: {}, mail: { to: ['team@example.com'] },
  forms: Object.fromEntries(Object.entries(forms).map(([key, reviewers]) => [key, { name: key, reviewers }])),
} as unknown as Config, {} as never, [connected('slack', { usual: z.string() })]).of('left').reviewers

test('who decides what is left of a form: REVIEWERS, else whoever decides some form, else everybody', () => {
  expect(reviewersOfMissing(['ops:ada'], { contact: ['ops:grace'] })).toEqual(['ops:ada'])
  const lists = { contact: ['ops:grace'], jobs: ['ops:grace', 'ops:x'], open: undefined }
  expect(reviewersOfMissing(undefined, lists)).toEqual(['ops:grace', 'ops:x'])
  expect(reviewersOfMissing(undefined, { open: undefined })).toBe(undefined)
})

/** Form with this configuration, and its rules; with `claimMs` null, assignment is off. */
function formOf(form: object, claimMs: number | null = 1000) {
  const config = {
    people: { claimMs }, mail: { to: ['team@example.com'], fromAddress: 'bot@example.com' },
    endpoint: { url: 'https://crm.example.com/in' }, form: { allowedOrigins: ['https://www.example.com'] }, forms: { contact: { name: 'Contact', ...form } },
  } as unknown as Config
  const slack = connected('slack', { usual: z.string(), beside: ['C2'] })
  const opened = createForms(config, {} as never, [slack]).of('contact')
  const memberOf = (kind: string) => opened.destinations.find(({ id }) => id === kind)
  return {
    ...opened, to: memberOf('email')?.to, endpoint: memberOf('endpoint')?.endpoint?.url,
    allowedOrigins: rulesOf('contact', config).allowedOrigins,
  }
}

test('what a form does not say is as for the default one, and what it says is its own', () => {
  expect(formOf({})).toMatchObject({
    rooms: ['slack', 'slack/C2'], to: ['team@example.com'], endpoint: 'https://crm.example.com/in', claim: 'soft',
    allowedOrigins: ['https://www.example.com'],
  })
  expect(formOf({
    channels: { slack: 'C3', nowhere: 'C4' }, to: ['ada@example.com'], endpoint: null, claim: 'exclusive',
    allowedOrigins: ['https://jobs.example.com'],
  })).toMatchObject({
    rooms: ['slack/C3'], to: ['ada@example.com'], endpoint: undefined, claim: 'exclusive',
    allowedOrigins: ['https://jobs.example.com'],
  })
  expect(formOf({ claim: 'exclusive' }, null).claim).toBeUndefined()
})

test('the sender of emails and the recipients of the form are its own addresses', () => {
  expect(formOf({}).ownAddresses).toEqual(['bot@example.com', 'team@example.com'])
  expect(formOf({ to: ['ada@example.com'], replyTo: 'email' })).toMatchObject({
    ownAddresses: ['bot@example.com', 'ada@example.com'], replyTo: 'email',
  })
})

test('labels alone take any form; a type, or that others are refused, makes fields a form\'s own', () => {
  const [name, email] = [{ label: 'Your name' }, { type: 'email' }]
  expect(formOf({ fields: { name } })).toMatchObject({ labels: { name: 'Your name' } })
  expect(formOf({ fields: { name } }).fields).toBeUndefined()
  expect(formOf({ fields: { name }, extra: 'refuse' })).toMatchObject({ fields: { name }, extra: 'refuse' })
  expect(formOf({ fields: { email } })).toMatchObject({ fields: { email }, labels: { email: 'email' } })
})

test('what a form takes of files is named as browsers know it, in its HTML and on the sandbox', () => {
  const forms = { jobs: { name: 'Jobs', files: { max: 1, maxBytes: 1, types: ['audio/wav'] } } }
  const input = { multiple: false, accept: 'audio/wav,audio/x-wav' }
  expect(rulesOf('jobs', { form: {}, forms } as unknown as Config)).toMatchObject({ files: input })
  expect(sampleUpload(forms)).toMatchObject(input)
})

test('labels are in the order of the fields, numbered ones too', () => {
  const fields = orderedObject([['name', { label: 'Name' }], ['2', {}], ['1', { label: 'One' }]])
  const { labels } = formOf({ fields })
  expect(Object.entries(labels)).toEqual([['name', 'Name'], ['2', '2'], ['1', 'One']])
})
