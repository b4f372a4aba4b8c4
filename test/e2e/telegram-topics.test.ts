import { expect, it } from 'vitest'
import { deploy, emailsAbout, NO_SLACK, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startTelegram } from '../support/telegram'
import { until } from '../support/until'

/** Topic of the cards, and another topic */
const [CARDS, OTHER] = [7, 8]
const telegram = endAfterAll(await startTelegram([CARDS, OTHER]))
const d = endAfterAll(await deploy({
  ...telegram.env, ...NO_SLACK, TELEGRAM_CHAT_ID: `${telegram.env.TELEGRAM_CHAT_ID}/${CARDS}`,
}))

/** Sends Ada's message in a topic; returns the topics of the bot's answers. The general topic has no number. */
async function answersIn(topic?: number): Promise<(number | undefined)[]> {
  const before = telegram.messages().length
  await telegram.writeInGroup(d.server.url, '@form_bot pending', undefined, undefined, topic)
  await d.server.drain()
  return telegram.messages().slice(before).map(message => message.topic)
}

it('cards go to the topic that is named, are decided there and nowhere else of the group', async () => {
  const submission = await submitForm(d.server, { name: 'Ada' })
  const card = await until('the card', () => telegram.cardOf(submission))
  expect(card.topic).toBe(CARDS)
  for (const topic of [OTHER, undefined]) {
    await telegram.click(d.server.url, { ...card, topic }, 'Mark as Spam')
    await d.server.drain()
  }
  expect(telegram.cardOf(submission)!.keyboard).toHaveLength(2)
  await telegram.click(d.server.url, card, 'Forward Submission')
  await until('the email', () => emailsAbout(d, submission).length === 1)
  await until('the card closed', () => telegram.messages().find(({ id }) => id === card.id)!.keyboard.length === 0)
})

it('what is asked in a topic is answered in it', async () => {
  expect(await answersIn(CARDS)).toEqual([CARDS])
  expect(await answersIn(OTHER)).toEqual([OTHER])
  expect(await answersIn()).toEqual([undefined])
})
