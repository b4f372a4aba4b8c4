import type { BotServer } from './bot-server'

/** Forwards gateway events to the webhook, as a forwarding listener does. Returns a function that stops it. */
export async function forwardInteractions({ discord, url: webhookUrl }: BotServer): Promise<() => void> {
  const { url } = await (await fetch(`${discord.restUrl}/gateway`)).json() as { url: string }
  const socket = new WebSocket(`${url}/?v=10&encoding=json`)
  const ready = Promise.withResolvers<unknown>()
  socket.addEventListener('message', ({ data }) => {
    const { op, t, d } = JSON.parse(String(data)) as { op: number, t: string, d: object }
    if (op === 10) {
      socket.send(JSON.stringify({ op: 2, d: { token: discord.botToken, intents: 0, properties: {} } }))
    }
    if (t === 'READY') ready.resolve(null)
    if (t === 'INTERACTION_CREATE') {
      void fetch(webhookUrl, {
        method: 'POST', headers: { 'x-discord-gateway-token': discord.botToken },
        body: JSON.stringify({ type: `GATEWAY_${t}`, timestamp: 0, data: d }),
      })
    }
  })
  await ready.promise
  return () => socket.close()
}
