import { z } from 'zod'

const user = z.object({ id: z.string().min(1).max(100), name: z.string().min(1).max(100) })

/** Longest message in characters, as on Discord */
const MESSAGE_LENGTH = 4000

/** Requests of the sandbox page */
export const interaction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('action'), messageId: z.string(), threadId: z.string(), actionId: z.string(),
    value: z.string().optional(), user,
  }),
  z.object({ type: z.literal('modal_submit'), viewId: z.string(), values: z.record(z.string(), z.string()), user }),
  // A message without a thread is posted in the channel, and a thread may begin below it.
  z.object({
    type: z.literal('message'), channel: z.string(), threadId: z.string().optional(),
    text: z.string().trim().min(1).max(MESSAGE_LENGTH), user,
  }),
])

export type SandboxInteraction = z.infer<typeof interaction>
export type SandboxUser = z.infer<typeof user>
