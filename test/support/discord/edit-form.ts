import type { BotServer } from './bot-server'
import { modalInputs } from './modal'
import type { Answer, DiscordMessage, Json, OpenedModal } from './types'

/** Custom id of a card's button. */
export const buttonOf = (action: string, id: string) => `${action}\n${id}`

/** Returns every component of a message, without the rows. */
export const componentsOf = (message: DiscordMessage | undefined): Json[] => (
  (message?.components ?? []).flatMap(({ components }) => components as Json[])
)

/** Returns all text of a message, without the escaping backslashes that Discord hides. */
export const discordText = ({ content, embeds }: Pick<DiscordMessage, 'content' | 'embeds'>): string => (
  [content, ...embeds.flatMap(({ title, description, fields = [] }) => [
    title, description, ...(fields as Json[]).flatMap(({ name, value }) => [name, value]),
  ])].filter(Boolean).join('\n').replaceAll('\\', '')
)

/** Custom id of the component with this label or placeholder. */
export function componentId(message: DiscordMessage | undefined, name: string): string {
  const found = componentsOf(message).find(({ label, placeholder }) => label === name || placeholder?.startsWith(name))
  if (!found) throw new Error(`There is no "${name}" on ${JSON.stringify(message)}`)
  return String(found.custom_id)
}

/** Server that receives the users' actions from the double */
type Reached = Pick<BotServer, 'discord' | 'url'>

export function press({ discord, url }: Reached, message: DiscordMessage, label: string): Promise<Answer> {
  return discord.click(url, message, componentId(message, label))
}

export type Mode = 'native' | 'picker'

/** Opens the edit form of a card. */
export async function openEdit(
  { discord, url }: Reached, card: DiscordMessage, id: string,
): Promise<{ mode: Mode, answer: Answer, opened: OpenedModal, picker: DiscordMessage }> {
  const answer = await discord.click(url, card, buttonOf('edit', id))
  return { mode: answer.message ? 'picker' : 'native', answer, opened: answer.opened!, picker: answer.message! }
}

/** Opens the edit form, changes one field in either mode, and submits it. */
export async function editAndForward(
  server: BotServer, card: DiscordMessage, id: string, position: number, text: string,
): Promise<{ mode: Mode, answer: Answer }> {
  const { mode, opened, picker } = await openEdit(server, card, id)
  const { discord, url } = server
  if (mode === 'native') return { mode, answer: await discord.submitModal(url, opened, filled(opened, position, text)) }
  const edited = await pickAndEdit(server, picker, position, text)
  return { mode, answer: await press(server, edited.message!, 'Forward') }
}

/** Picks one field, turning pages until it is listed, and types into it. */
export async function pickAndEdit(
  server: Reached, picker: DiscordMessage, position: number, text: string,
): Promise<Answer> {
  const { discord, url } = server
  const menu = componentsOf(picker).find(({ options }) => (
    (options as Json[] | undefined)?.some(({ value }) => value === String(position))
  ))
  if (!menu) return pickAndEdit(server, (await press(server, picker, '▶')).message!, position, text)
  const { opened } = await discord.select(url, picker, String(menu.custom_id), [String(position)])
  return discord.submitModal(url, opened!, filled(opened!, position, text))
}

/** Puts the text into the first input of the field and empties its other inputs. */
function filled(opened: OpenedModal, position: number, text: string): Record<string, string> {
  const parts = modalInputs(opened).map(({ customId }) => customId).filter(customId => customId === `i${position}`
    || customId.startsWith(`i${position}.`))
  return Object.fromEntries(parts.map((part, index) => [part, index === 0 ? text : '']))
}
