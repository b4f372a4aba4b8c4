import type { AdapterPostableMessage, Author, Chat } from 'chat'
import { ASSIGNMENT_ACTIONS } from '../../shared/actions'
import { queueButton, type Home } from '../domain/conversation/home'
import { failureReply } from '../domain/conversation/texts'
import type { Speech } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { Person } from '../ports/submission'
import { reviewerOf } from './review'
import type { IncomingEvent, Render, SpeakerHandlers } from './speaker'

export interface HomeHandlers extends SpeakerHandlers {
  render: Render
  log: Log
  home: Home
}

/** An adapter whose platform has a home page for each person */
interface WithHome {
  showHome?: (userId: string, message: AdapterPostableMessage) => Promise<void>
}

/** Registers a person's home page and its buttons, which belong to no room. */
export function registerHome(bot: Chat, handlers: HomeHandlers): void {
  const { home, render, log } = handlers

  async function show(
    visit: IncomingEvent, loadSpeech: (person: Person, platform: string) => Promise<Speech>,
  ): Promise<void> {
    const { adapter, user: { userId } } = visit
    const showHome = (speech: Speech) => (adapter as WithHome).showHome?.(userId, render({ speech }, adapter.name))
    try {
      await showHome(await loadSpeech(await reviewerOf(visit, handlers), adapter.name))
    }
    catch (error) {
      log.error('home.failed', { platform: adapter.name, error })
      await showHome({ text: failureReply.text })?.catch(() => {})
    }
  }

  bot.onAppHomeOpened(({ adapter, userId }) => {
    const user: Author = { userId, userName: userId, fullName: userId, isBot: false, isMe: false }
    return show({ adapter, user, raw: {} }, (person, platform) => home.of(person, platform))
  })

  for (const action of ASSIGNMENT_ACTIONS) {
    bot.onAction(queueButton(action).id, async (event) => {
      const { value, thread } = event
      if (value && !thread) await show(event, (...visitor) => home.pressed(action, value, ...visitor))
    })
  }
}
