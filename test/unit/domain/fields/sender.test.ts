import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSender } from '../../../../server/domain/fields/sender'
import { parseJson } from '../../../../server/domain/json'
import { parseMultipart } from '../../../../server/http/body/multipart'
import type { Form } from '../../../../server/ports/form'
import type { SubmissionData } from '../../../../server/ports/submission'
import senders from '../../../fixtures/senders.json'
import { formData } from '../../../fixtures/form-data'

const [ADA, BOB] = ['ada@example.org', 'bob@example.net']
const FORM = { ownAddresses: ['team@example.com', 'Forms@Company.example'] }

const find = (data: object, form: Partial<Form> = {}, replyTo?: string) => findSender(
  { data: data as SubmissionData, ...replyTo && { envelope: { replyTo } } }, { ...FORM, ...form },
)

test.each(senders as [object, string | null][])('%j is of %s', (data, address) => {
  expect(find(data).address ?? null).toBe(address)
})

test.each([
  { amount: 50, donor: { name: 'Ada Byron', email: ADA } },
  { policy: { holder: { name: 'Ada Byron', email: ADA }, id: 'P1' } },
  { attendees: [{ first_name: 'Ada', last_name: 'Byron', email: ADA }], event: { name: 'Gala' } },
  { child: { name: 'Tim' }, parent: { name: 'Ada Byron', email: ADA } },
])('%j has the name beside the address', (data) => {
  expect(find(data)).toEqual({ address: ADA, name: 'Ada Byron' })
})

test.each([
  { donor_name: 'Ada Byron', donor_email: ADA, amount: 50 },
  { billing_first_name: 'Ada', billing_last_name: 'Byron', billing_email: ADA },
  { event_name: 'Gala', organizer_name: 'Ada Byron', organizer_email: ADA, venue_name: 'Hall' },
  { child_name: 'Tim', parent_name: 'Ada Byron', parent_email: ADA },
])('%j has the name in the field with the same start', (data) => {
  expect(find(data)).toEqual({ address: ADA, name: 'Ada Byron' })
})

test.each([
  { form_id: '1', submission_id: '2', message: 'Hi', user_agent: ADA },
  { form_id: '1', submission_id: '2', data: { message: 'Hi' }, metadata: { note: ADA } },
])('%j is of nobody: cards do not show the address', (data) => {
  expect(find(data)).toEqual({})
})

describe('Of two addresses the sender has', () => {
  test.each([
    [{ contact: BOB, email: ADA }, 'the one in a field called email'],
    [{ email: ADA, email_confirm: 'ada@exmaple.org' }, 'the one that is not its repetition'],
    [{ 'your-email': ADA, 'work email': BOB }, 'their own'],
    [{ 'contact email': ADA, 'other': BOB }, 'the one for contacts'],
    [{ from: ADA, via: BOB }, 'the one it is from'],
    [{ 'home email': ADA, 'via': BOB }, 'the one whose name ends in email'],
    [{ 'Email (work)': ADA, 'via': BOB }, 'the one whose name has email in it'],
    [{ via: ADA, friend_email: BOB }, 'the one that is not a friend\'s'],
    [{ email: ADA, customer: { email: BOB, friend: { email: BOB } }, friend: { email: BOB } }, undefined],
    [{ customer: { name: 'A', email: ADA }, shipping: { email: BOB } }, 'the customer\'s'],
    [{ 'contact[email]': ADA, 'shop[email]': BOB }, 'the contact\'s'],
    [{ 'contact.email': ADA, 'shop.email': BOB }, 'the contact\'s'],
    [{ order: { buyer: { emails: [{ value: ADA }] }, seller: { email: BOB } } }, 'the buyer\'s'],
    [{ email: ADA, billing: { email: BOB } }, 'not the one for bills'],
    [{ billing_email: ADA, shipping_email: BOB }, undefined],
    [{ account: { email: ADA }, company: { email: BOB } }, 'the one of the account'],
    [{ 'email': ADA, 'email 2': BOB }, 'the one without a number'],
    [{ 'Email 2': ADA, 'home email': BOB }, 'the one with a number alone'],
    [{ 'Email-1': ADA, 'Email-2': BOB }, undefined],
    [{ email: [ADA, BOB] }, undefined],
    [{ a: ADA, b: BOB }, undefined],
    [{ a: ADA, b: ADA.toUpperCase() }, 'the only one, whatever its case'],
    [{ cc: ADA, bcc: BOB }, undefined],
    [{ 'email': ADA, 'Rechnungsempfänger E-Mail': BOB }, 'not the one for bills'],
    [{ 'Email to': BOB, 'reply_to': ADA }, 'the one for replies'],
    [{ 'E-Mail': ADA, 'Email of your friend': BOB }, 'not a friend\'s'],
    [{ alternate_email: BOB, primary_email: ADA }, 'the first'],
    [{ _replyto: ADA, to: BOB }, 'the one for replies'],
  ])('%j: %s', (data, which) => {
    const { address, candidates } = find(data)
    expect([address, candidates]).toEqual(which ? [ADA, undefined] : [undefined, [ADA, BOB]])
  })
})

test.each(`
  Email|E-mail|e mail|EMAIL *|email_address|emailAddress|Mail|E-Mail|E-Mail-Adresse|Mailadresse|Courriel
  Adresse e-mail|Adresse électronique|Correo electrónico|Correo|Dirección de correo electrónico|E-mail (obrigatório)
  Endereço de e-mail|Correio eletrónico|Indirizzo e-mail|Posta elettronica|E-mailadres|Adres e-mail|Электронная почта
  Эл. почта|Адрес электронной почты|Електронна пошта|E-posta|E-posta adresiniz|البريد الإلكتروني|البريد الالكتروني
  پست الکترونیک|ای میل|דוא"ל|כתובת אימייל|ईमेल|ई-मेल पता|ইমেইল|ইমেইল ঠিকানা|ਈਮੇਲ|ઇમેઇલ|மின்னஞ்சல்|ఇమెయిల్|ಇಮೇಲ್
  Alamat email|Surel|Barua pepe|Thư điện tử|Địa chỉ email|อีเมล|メールアドレス|Eメール|電子メール|电子邮件|邮箱|電子郵件
  电子邮箱地址|이메일|이메일 주소|전자우편|Διεύθυνση e-mail|E-post|E-postadress|Sähköposti|E-mailová adresa|E-mail cím
  Adresă de e-mail|E-pošta|El. paštas|E-pasts|Correu electrònic
`.split(/[|\n]/).map(each => each.trim()).filter(Boolean))('%s is called email', (label) => {
  expect(find({ 'other': BOB, [label]: ADA, 'home email': BOB }).address).toBe(ADA)
})

test.each([
  ['Destinataire'], ['Empfänger'], ['Destinatario'], ['Получатель'], ['宛先'], ['收件人'], ['받는 사람'], ['المستلم'], ['cc'],
  ['To'], ['send_to'], ['recipient-email'], ['admin.email'], ['newsletter'], ['Email de tu amigo'], ['adminEmail'],
])('%s is somebody else', label => expect(find({ [label]: BOB, via: ADA }).address).toBe(ADA))

describe('An address', () => {
  test.each([
    ['mailto:ada@example.org?subject=Hi', ADA], ['MAILTO:ada@example.org', ADA], ['\uFEFF ada@example.org\u00A0', ADA],
    ['ada@example.org\u2060', ADA], ['"Lovelace, Ada" <ada@example.org>', ADA], ['<mailto:ada@example.org>', ADA],
    ['ada@example.org\nBcc: bob@example.net', undefined], ['example.org', undefined], ['www.example.org', undefined],
    ['@example.org', undefined], ['Write to ada@example.org', undefined], ['Forms@company.example', undefined],
    ['TEAM@example.com', undefined], ['no-reply@example.org', undefined], ['noreply@example.org', undefined],
    ['do_not_reply+1@example.org', undefined], ['noreplying@example.org', 'noreplying@example.org'],
  ])('%j is %s', (email, address) => expect(find({ email }).address).toBe(address))

  test('of the service makes way for the sender\'s, also in `_replyto`', () => {
    expect(find({ email: 'team@example.com', message: ADA }).address).toBe(ADA)
    expect(find({ contact: ADA }, {}, 'team@example.com').address).toBe(ADA)
  })
})

describe('The form says it:', () => {
  const declared = { fields: { contact: { type: 'email' } } } as const

  test('a field of type email goes before `_replyto`, and that before all others', () => {
    const data = { contact: ADA, email: BOB }
    expect(find(data, declared, 'grace@example.org').address).toBe(ADA)
    expect(find(data, {}, 'grace@example.org').address).toBe('grace@example.org')
    expect(find({ email: BOB }, declared, 'grace@example.org').address).toBe('grace@example.org')
  })

  test('among several of type email, their names tell', () => {
    const fields = { friend_email: { type: 'email' }, mine: { type: 'email' } } as const
    expect(find({ friend_email: BOB, mine: ADA }, { fields }).address).toBe(ADA)
    expect(find({ friend_email: BOB, email: ADA }, { fields }).address).toBe(ADA)
  })

  test('its own labels name fields that have no telling names', () => {
    const labels = { f1: 'Your name', f2: 'E-mail', f3: 'Friend' }
    expect(find({ f1: 'Ada', f2: ADA, f3: BOB }, { labels })).toEqual({ address: ADA, name: 'Ada' })
  })

  test.each([
    ['b', { email: BOB, b: ADA }], ['b', { email: BOB, b: [ADA] }],
    ['My address', { data: [{ label: 'My address', value: ADA }, { label: 'Email', value: BOB }] }],
    ['customer.contact', { email: BOB, customer: { contact: `Ada <${ADA}>`, email: BOB } }],
  ])('`replyTo` %j decides in %j', (replyTo, data) => {
    expect(find(data, { replyTo }, 'grace@example.org').address).toBe(ADA)
  })

  test('then nobody else gets replies, and never the service', () => {
    expect(find({ email: BOB, b: '' }, { replyTo: 'b' })).toEqual({})
    expect(find({ email: BOB, b: 'team@example.com' }, { replyTo: 'b' })).toEqual({})
    expect(find({ email: BOB }, { replyTo: 'b' }, ADA)).toEqual({})
  })
})

test.each([
  [{ name: ' Ada\nLovelace ', company: 'Engines' }, 'Ada Lovelace'],
  [{ first_name: 'Ada', last_name: 'Lovelace', name: 'Countess' }, 'Ada Lovelace'],
  [{ firstName: 'Ada', name: 'Lovelace' }, 'Ada Lovelace'], [{ Vorname: 'Ada', Name: 'Ada Lovelace' }, 'Ada Lovelace'],
  [{ Nombre: 'Ada', Apellidos: 'Lovelace' }, 'Ada Lovelace'], [{ Nom: 'Lovelace', Prénom: 'Ada' }, 'Ada Lovelace'],
  [{ name: { first: 'Ada', last: 'Lovelace' } }, 'Ada Lovelace'], [{ name: { first: 'Ada' } }, 'Ada'],
  [{ 'name[first]': 'Ada', 'name[last]': 'Lovelace' }, 'Ada Lovelace'], [{ 姓: '山田', 名: '太郎' }, '山田 太郎'],
  [{ 'What is your name?': 'Ada' }, 'Ada'], [{ 'Wie heißen Sie?': 'Ada' }, 'Ada'], [{ 'Ваше имя': 'Ада' }, 'Ада'],
  [{ お名前: '太郎' }, '太郎'], [{ customer: { name: 'Ada' } }, 'Ada'], [{ company: { name: 'Engines' } }, undefined],
  [{ items: [{ name: 'Engine' }, { name: 'Wheel' }] }, undefined],
  [{ 'username': 'ada', 'filename': 'x.pdf', 'company_name': 'Engines', 'Friend\'s name': 'Bob' }, undefined],
  [{ name: 'null', email: `Ada Lovelace <${ADA}>` }, 'Ada Lovelace'],
  [{ email: `"Lovelace, Ada" <${ADA}>` }, 'Lovelace, Ada'],
  [{ name: '', email: ADA }, undefined], [{ name: 7 }, undefined], [{ 'your-name': 'Ada' }, 'Ada'],
])('%j is by %s', (data, name) => expect(find(data).name).toBe(name))

test('what a provider knows of its user counts less than any answer but the address of somebody else', () => {
  const body = (answers: object) => ({
    form_id: '2', contact_id: '3', contact: { email: BOB },
    submissions: Object.entries(answers).map(([label, value]) => ({ label, value: value as string })),
  })
  expect(find(body({ 'How do we reach you?': ADA, 'Topic': 'x' })).address).toBe(ADA)
  expect(find(body({ 'Your friend\'s email': ADA, 'Topic': 'x' })).address).toBe(BOB)
})

const FOLDER = new URL('../../../fixtures/providers/', import.meta.url)
interface Provider { provider: string, type: string, body?: object, email?: string, name?: string | string[] }

/** Stored data of a provider's message */
async function dataOf({ type, body }: Provider, file: string): Promise<SubmissionData> {
  const text = body ? JSON.stringify(body) : readFileSync(new URL(file.replace(/json$/, 'txt'), FOLDER), 'utf8')
  if (type.startsWith('application/json')) return parseJson(text) as SubmissionData
  if (type.startsWith('multipart/')) return parseMultipart(Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')), type)
  const params = new URLSearchParams(text.trim())
  return Object.fromEntries([...new Set(params.keys())].map((key) => {
    const values = params.getAll(key)
    return [key, values.length === 1 ? values[0] : values]
  }))
}

test.each(readdirSync(FOLDER).filter(file => file.endsWith('.json')))('%s has its sender', async (file) => {
  const provider = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Provider
  const { address, name = '' } = find(await dataOf(provider, file))
  expect(address).toBe(provider.email)
  for (const part of [provider.name ?? []].flat()) expect(name).toContain(part)
})

test('hostile data has at most one sender, whom a header can carry', () => {
  fc.assert(fc.property(formData, (data) => {
    const { address, name } = find(data)
    expect(address ?? ADA).toMatch(/^[^\s<>,;]+@[\w.-]+$/)
    expect(name ?? 'x').not.toMatch(/[\r\n]/)
  }))
})

test('a form of very many addresses takes hardly longer than one of a thousand', () => {
  const [few, many] = [2000, 40_000].map((length) => {
    const data = Object.fromEntries(Array.from({ length }, (_, index) => [`mail ${index}`, `${index}@example.org`]))
    find(data)
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now()
      find(data)
      return performance.now() - startedAt
    })
    return Math.min(...times)
  }) as [number, number]
  expect(many).toBeLessThan(5 * few + 20)
})
