import { flag, text } from '../../variable'
import type { Definition } from '../platform'
import { throughSdk } from '../shared/through-sdk'
import { SandboxRoom } from './room'

/** The chat that is embedded in this service. It renders text as text; its bounds only keep the page readable. */
export const sandbox: Definition = {
  key: 'sandbox', label: 'Sandbox', aliases: [], icon: 'i-lucide-flask-conical',
  about: 'A chat room within this service, for trying it out.',
  card: { fields: 100, fieldsPerGroup: 10, label: 150, value: 3000, total: 40_000 },
  cardIntervalMs: 0,
  modal: { inputs: 200, label: 150, value: 20_000, bytes: 400_000 },
  escape: formText => formText,
  mention: null,
  variables: {
    SANDBOX: {
      schema: flag,
      about: 'The embedded chat page at /sandbox, for those who may open the ops pages; in production it needs a way to sign in. Default: on outside production when no chat platform is configured.',
      example: '0',
    },
  },
  needs: [],
  channel: { schema: text },
  person: { id: /^\S+$/, example: 'sandbox:…' },
  read: () => ({}),
  setup: () => [],
  connect() {
    const room = new SandboxRoom()
    const connection = throughSdk(
      sandbox, room.channel, async () => new (await import('./adapter')).SandboxAdapter(room),
    )
    return {
      ...connection,
      embedded: room,
      room: async bot => ({
        ...await connection.room(bot), link: async ({ messageId }) => `/sandbox#${encodeURIComponent(messageId)}`,
      }),
    }
  },
}
