import { transform } from 'esbuild'

/**
 * What makes the server lighter than Nitro's defaults do, in one list, with what it is worth: without it, the figure
 * grows by so much. What is worth less than 3 % of start-up, memory or speed goes. Measured on 22 November 2026 with
 * Node 24: medians of pairs of processes that ran in turn; the start until the first form is taken, with Slack and
 * Discord.
 *
 * | what | without it |
 * |---|---|
 * | packages in the bundle (`inline`) | start: CPU 118 %, memory 45 %; 39 MB in 4,449 files, not 8.4 MB in 126 |
 * | no comments or indentation (`compact`) | memory: 5 % idle, 8 % under load; output 12.9 MB, not 8.4 MB |
 * | no discord.js (`withoutDiscordJs`) | start: CPU 24 %, memory 8 % |
 * | requires where they stand (`strictRequires` in nuxt.config.ts, for circular ones too) | start: memory 7 % |
 * | no hooks of Nitro for a request (server/plugins/lean.ts) | under load: memory 20 to 45 %, CPU 5 % |
 * | no pretenuring (server/plugins/lean.ts) | after a slow vendor: memory 23 %, CPU 4 % |
 * | a request whose body is read (`ReadRequest` in server/http/web.ts) | CPU of a click 7 to 26 % |
 */
export const lean = {
  // What cannot be resolved (optional native helpers) stays outside and is missed only where it is used.
  externals: { inline: [() => true] },
  // Lines stay short and names stay, so that a stack trace can be read without a map twice the size of the code.
  sourceMap: false,
}

export const leanPlugins = () => [withoutDiscordJs(), compact()]

/** Takes comments and indentation out of what is built. */
function compact() {
  return {
    name: 'compact',
    renderChunk: async (code: string) => ({
      code: (await transform(code, { minifyWhitespace: true, lineLimit: 160 })).code, map: null,
    }),
  }
}

const STAND_IN = '\0discord.js'

const SOURCE = `
export function Client() { throw new Error('discord.js is not part of the build: the service has its own listener.') }
export const Events = {}, GatewayIntentBits = {}, Partials = {}
`

/** Of the 5 MB of discord.js, the SDK's adapter takes four names, for a listener that ours replaces. */
function withoutDiscordJs() {
  return {
    name: 'without-discord-js',
    resolveId: (id: string) => id === 'discord.js' ? STAND_IN : null,
    load: (id: string) => id === STAND_IN ? SOURCE : null,
  }
}
