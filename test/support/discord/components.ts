import type { DiscordMessage, Json } from './types'

/** Returns the component of the message that a click refers to. */
export function clickable({ components }: DiscordMessage, customId: string): Json {
  const component = find(components, customId)
  if (!component) {
    throw new Error(`The message has no component "${customId}", only ${customIds(components).join(', ') || 'none'}`)
  }
  if (component.disabled) throw new Error(`"${customId}" is disabled`)
  return component
}

export function numberComponents(components: Json[], counter = { next: 1 }): void {
  for (const component of components) {
    component.id ??= counter.next++
    numberComponents(component.components ?? [], counter)
  }
}

function find(components: Json[], customId: string): Json | undefined {
  for (const component of components) {
    const found = component.custom_id === customId ? component : find(component.components ?? [], customId)
    if (found) return found
  }
}

function customIds(components: Json[]): string[] {
  return components.flatMap(({ custom_id, components: children }) => [
    ...custom_id ? [String(custom_id)] : [], ...customIds(children ?? []),
  ])
}
