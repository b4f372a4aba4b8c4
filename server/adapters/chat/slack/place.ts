/** A channel as the configuration names it: its id, for one of another workspace after the workspace's. */
export function placeOf(name: string): { channel: string, team?: string } {
  const [channel = '', team] = name.split(':').reverse()
  return { channel, team }
}
