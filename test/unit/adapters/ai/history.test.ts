import { Message, parseMarkdown, type Attachment } from 'chat'
import { expect, test } from 'vitest'
import { toHistory } from '../../../../server/adapters/ai/history'
import { silentLog } from '../../../fakes/runtime'

let said = 0

function message(text: string, attachments: Attachment[] = [], isMe = false): Message {
  const name = isMe ? 'bot' : 'ada'
  return new Message({
    id: String(++said), threadId: 'slack:C1:1', text, formatted: parseMarkdown(text), raw: {}, attachments,
    author: { userId: name, userName: name, fullName: name, isBot: isMe, isMe },
    metadata: { dateSent: new Date(), edited: false },
  })
}

const historyOf = (messages: Message[], { names = false, budget = 60_000 } = {}) => (
  toHistory(messages, { budget, names, isCard: () => false, log: silentLog })
)

const image = (name?: string, content = 'image!'): Attachment => (
  { type: 'image', mimeType: 'image/png', name, fetchData: async () => Buffer.from(content) }
)

test.each<[string, Attachment, string]>([
  ['a PDF', { type: 'file', mimeType: 'application/pdf', name: 'offer.pdf' }, 'offer.pdf'],
  ['a voice message', { type: 'audio', mimeType: 'audio/ogg' }, 'audio'],
  ['a video', { type: 'video', mimeType: 'video/mp4', name: 'a.mp4' }, 'a.mp4'],
])('%s without words is said to have been sent, by whom it was', async (_, attachment, name) => {
  const thread = [message('hello'), message('Hi.', [], true), message('', [attachment])]
  const history = await historyOf(thread, { names: true })
  expect(history).toEqual([
    { role: 'user', content: '[ada]: hello' }, { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: `[ada]: [Sent without words: ${name}]` },
  ])
})

test('an image without words is shown, with who sent it', async () => {
  expect(await historyOf([message('', [image('a.png')])], { names: true })).toEqual([{ role: 'user', content: [
    { type: 'text', text: '[ada]: [Sent without words: a.png]' },
    { type: 'file', mediaType: 'image/png', filename: 'a.png', data: btoa('image!') },
  ] }])
})

test.each([
  ['whose platform does not give it out', async () => { throw new Error('404') }],
  ['that nothing can fetch', undefined],
])('an image %s is named', async (_, fetchData) => {
  expect(await historyOf([message('look', [{ ...image('a.png'), fetchData }])])).toEqual([{ role: 'user', content: [
    { type: 'text', text: 'look' },
    { type: 'text', text: '[The image "a.png" is left out: it could not be fetched.]' },
  ] }])
})

test('messages stay in the order of the thread, whatever their platforms\' clocks say', async () => {
  const late = message('first')
  late.metadata.dateSent = new Date(Date.now() + 60_000)
  expect((await historyOf([late, message('second')])).map(({ content }) => content)).toEqual(['first', 'second'])
})

test('of messages that do not fit the budget nothing is fetched', async () => {
  const fetched: string[] = []
  const picture = (name: string) => message(name, [{ ...image(name), fetchData: async () => {
    fetched.push(name)
    return Buffer.from(name)
  } }])
  const history = await historyOf(['a', 'b', 'c', 'd'].map(picture), { budget: 13_000 })
  expect(history).toHaveLength(3)
  expect(fetched).toEqual(['d', 'c', 'b'])
})
