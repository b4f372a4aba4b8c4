import { flag, text } from '../../variable'
import type { Definition } from '../platform'
import { throughSdk } from '../shared/through-sdk'
import { SandboxRooms } from './rooms'

const CHANNEL = 'triage'

/** Second room, to show that a decision in one room appears in all */
const OTHER_CHANNELS = ['sales']

/** The chat that is embedded in this service. It shows text as it is; its limits only keep the page readable. */
export const sandbox: Definition = {
  key: 'sandbox', label: 'Sandbox', aliases: [], icon: 'i-lucide-flask-conical',
  about: 'A chat with two rooms within this service, for trying it out.',
  card: {
    fields: 100, fieldsPerGroup: 10, label: 150, value: 3000, total: 40_000, pictures: { most: 4, public: false },
  },
  cardIntervalMs: 0,
  // Enough for the values of the largest form
  webhookBytes: 4 * 1024 * 1024,
  modal: { inputs: 200, label: 150, choices: 100, value: 20_000, bytes: 400_000 },
  escape: formText => formText,
  isCard: ({ card }) => Boolean(card),
  mention: null,
  variables: {
    SANDBOX: {
      schema: flag,
      about: 'The embedded chat page at /sandbox, for those who may open the ops pages; in production it needs a way to sign in. Default: on outside production when no chat platform is configured.',
      example: '0',
    },
  },
  needs: [],
  channel: { usual: text, beside: OTHER_CHANNELS },
  person: { id: /^\S+$/, example: 'sandbox:…' },
  read: () => ({}),
  setup: () => [],
  connect() {
    const rooms = new SandboxRooms([CHANNEL, ...OTHER_CHANNELS])
    const connection = throughSdk(
      sandbox, CHANNEL, async () => new (await import('./adapter')).SandboxAdapter(rooms),
    )
    return {
      ...connection,
      embedded: rooms,
      room: async (bot, channel) => ({
        ...await connection.room(bot, channel),
        link: async ({ messageId }) => `/sandbox#${encodeURIComponent(messageId)}`,
      }),
    }
  },
}
