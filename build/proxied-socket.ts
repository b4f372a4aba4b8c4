const OURS = '\0proxied socket'

/**
 * The socket of Discord's gateway is connected by node's agents, as all else is: by itself `ws` connects without them,
 * past the proxy that they know.
 */
export function proxiedSocket() {
  return {
    name: 'proxied-socket',
    resolveId: (id: string, importer?: string) => id === 'ws' && importer?.includes('/@discordjs/ws/') ? OURS : null,
    load: (id: string) => id === OURS
      ? `
        import http from 'node:http'
        import https from 'node:https'
        import Plain from 'ws'
        export class WebSocket extends Plain {
          constructor(url, protocols, options) {
            super(url, protocols, { ...options, agent: (/^wss:/.test(url) ? https : http).globalAgent })
          }
        }`
      : null,
  }
}
