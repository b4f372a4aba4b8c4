import { transform } from 'esbuild'

/**
 * What makes the server lighter than Nitro's defaults do, in one list, with what it is worth: without it, the figure
 * grows by so much. What is worth less than 3 % of start-up, memory or speed goes. Measured on 22 and 23 November 2026
 * with Node 24: medians of pairs of processes that ran in turn; the start until the first form is taken, with Slack and
 * Discord.
 *
 * | what | without it |
 * |---|---|
 * | packages in the bundle (`inline`) | start: CPU 118 %, memory 45 %; 39 MB in 4,449 files, not 8.4 MB in 126 |
 * | of undici, redis and the limiters what is used (`onlyParts`, `STAND_INS`) | start: CPU 11 % |
 * | no comments or indentation (`compact`) | memory: 5 % idle, 8 % under load; output 12.9 MB, not 8.4 MB |
 * | no discord.js (`STAND_INS`) | start: CPU 24 %, memory 8 % |
 * | no compiler of Vue (`STAND_INS`) | first page: 58 % later, memory from then on 8 %; output 0.7 MB |
 * | requires where they stand (`strictRequires` in nuxt.config.ts, for circular ones too) | start: memory 7 % |
 * | no hooks of Nitro for a request (server/plugins/lean.ts) | under load: memory 20 to 45 %, CPU 5 % |
 * | no pretenuring (server/plugins/lean.ts) | after a slow vendor: memory 23 %, CPU 4 % |
 * | a request whose body is read (`ReadRequest` in server/http/web.ts) | CPU of a click 7 to 26 % |
 * | commands of Redis in a table (`quickCommands`) | start, until it listens: CPU 18 % |
 * | three folders of Microsoft Graph (`fewEndpoints`) | build: CPU 7 %; the output is the same |
 */
export const lean = {
  // What cannot be resolved (optional native helpers) stays outside and is missed only where it is used.
  externals: { inline: [() => true] },
  // Lines stay short and names stay, so that a stack trace can be read without a map twice the size of the code.
  sourceMap: false,
}

export const leanPlugins = () => [standIns(), fewEndpoints(), onlyParts(), quickCommands(), compact()]

/** Takes comments and indentation out of what is built. */
function compact() {
  return {
    name: 'compact',
    renderChunk: async (code: string) => ({
      code: (await transform(code, { minifyWhitespace: true, lineLimit: 160 })).code, map: null,
    }),
  }
}

/** What is imported and never used, by its file, and what is bundled in its place. */
const STAND_INS: readonly (readonly [RegExp, string])[] = [
  // Of the 5 MB of discord.js, the SDK's adapter takes four names, for a listener that ours replaces.
  [/\/discord\.js\/src\/index\.js$/, `
    exports.Client = class {
      constructor() { throw new Error('discord.js is not part of the build: the service has its own listener.') }
    }
    exports.Events = {}
    exports.GatewayIntentBits = {}
    exports.Partials = {}`],
  // No page is rendered on the server, and no template compiled there.
  [/\/@vue\/compiler-(dom|ssr)\//, 'module.exports = {}'],
  // undici speaks HTTP/2 only where it is told to: node loads its own for it at each start.
  [/\/undici\/lib\/dispatcher\/client-h2\.js$/, 'module.exports = undefined'],
]

function standIns() {
  return {
    name: 'stand-ins',
    load: (id: string) => STAND_INS.find(([file]) => file.test(id))?.[1] ?? null,
  }
}

/** What the SDK's adapter for Teams imports of the 1,249 modules of Microsoft Graph; more would fail the build. */
const GRAPH = ['chats', 'teams', 'users']

/** Has Rollup read no folder that it leaves out in the end. */
function fewEndpoints() {
  return {
    name: 'few-endpoints',
    transform: (_code: string, id: string) => id.endsWith('@microsoft/teams.graph-endpoints/dist/index.mjs')
      ? { code: GRAPH.map(name => `export * as ${name} from './${name}/index.mjs'`).join('\n'), map: null }
      : null,
  }
}

const PARTS_OF: Readonly<Record<string, string>> = {
  // Its connections: no cache, no mocks, and `fetch` only as far as they may need it.
  'undici': `
    export { default as Client } from 'undici/lib/dispatcher/client.js'
    export { default as buildConnector } from 'undici/lib/core/connect.js'`,
  // The client without the commands of Redis' modules, which would be made at each start.
  'redis': `export { createClient } from '@redis/client'`,
  // Two of its 28 limiters, and no database of the others.
  'rate-limiter-flexible': `
    export { default as RateLimiterMemory } from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
    export { default as RateLimiterRedis } from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
    export { default as RateLimiterRes } from 'rate-limiter-flexible/lib/RateLimiterRes.js'`,
}

const PART = '\0part of '

/** Bundles of a package what the server's own code takes of it. */
function onlyParts() {
  return {
    name: 'only-parts',
    resolveId: (id: string, importer?: string) => (
      id in PARTS_OF && /\/server\/adapters\/|state-redis/.test(importer ?? '') ? PART + id : null
    ),
    load: (id: string) => id.startsWith(PART) ? PARTS_OF[id.slice(PART.length)] : null,
  }
}

/** Where @redis/client gives a class a method for each of 400 commands, one after the other. */
const COMMANDS = 'class extends BaseClass {\n    };'

/** Has V8 keep them in a table, which a deletion makes of an object: by itself it copies the class's map for each. */
function quickCommands() {
  return {
    name: 'quick-commands',
    transform(this: { error: (message: string) => never }, code: string, id: string) {
      if (!id.endsWith('@redis/client/dist/lib/commander.js')) return null
      if (!code.includes(COMMANDS)) this.error(`There is no ${COMMANDS}`)
      const table = 'Class.prototype.a = Class.prototype.b = null; delete Class.prototype.a; delete Class.prototype.b;'
      return { code: code.replace(COMMANDS, `${COMMANDS} ${table}`), map: null }
    },
  }
}
