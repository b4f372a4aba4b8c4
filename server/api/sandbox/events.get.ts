import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { eventStream } from '../../http/event-stream'
import { requireSandbox } from '../../http/sandbox'

/** `GET /api/sandbox/events`: server-sent `changed` events, each of which means that the state is to be fetched again; and `heartbeat`s. */
export default defineEventHandler(event => answer(event, async () => {
  const { room } = await requireSandbox(event, useServices())
  return eventStream(event, ({ send, beat, close }) => room.watch({ changed: () => send('changed', ''), alive: beat, closed: close }))
}))
