/** A channel as the configuration names it: its id, for one of another workspace after the workspace's. */
export function placeOf(name: string): { channel: string, team?: string } {
  const [channel = '', team] = name.split(':').reverse()
  return { channel, team }
}

/** How the configuration names a channel: with its workspace when a form says so. */
export function configuredChannel(channel: string, names: readonly string[] = []): string {
  return names.find(name => placeOf(name).channel === channel) ?? channel
}
