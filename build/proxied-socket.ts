const MODULE_ID = '\0proxied socket'

/**
 * Connects Discord's gateway socket through node's agents, like all other requests. By default `ws` does not use the
 * agents, and so bypasses their proxy.
 */
export function proxiedSocket() {
  return {
    name: 'proxied-socket',
    resolveId: (id: string, importer?: string) => (
      id === 'ws' && importer?.includes('/@discordjs/ws/') ? MODULE_ID : null
    ),
    load: (id: string) => id === MODULE_ID
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
