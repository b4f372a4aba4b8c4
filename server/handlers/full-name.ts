import type { ActionEvent, ModalSubmitEvent } from 'chat'
import { visible } from '../../shared/utils/text'

/** How long a click waits for the full name, ms; the payload's user name serves after that. */
const PATIENCE_MS = 800

/** The full name of who clicked: Slack's payloads have the user name only. */
export async function fullNameOf({ adapter, user }: ActionEvent | ModalSubmitEvent): Promise<string> {
  const known = await Promise.race([
    adapter.getUser?.(user.userId).catch(() => null),
    new Promise<null>(resolve => setTimeout(resolve, PATIENCE_MS, null).unref()),
  ])
  return visible(known?.fullName ?? user.fullName)
}
