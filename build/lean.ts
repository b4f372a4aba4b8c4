import { transform } from 'esbuild'

/**
 * What makes the server lighter than Nitro's defaults do, in one list, with what it is worth: without it, the figure
 * grows by so much. What is worth less than 3 % of start-up, memory or speed goes. Measured from 22 to 24 November 2026
 * with Node 24: medians of pairs of processes that ran in turn; the start until the first form is taken, with Slack and
 * Discord; where two stars stand, with Slack alone.
 *
 * | what | without it |
 * |---|---|
 * | what V8 compiled, kept (`checked-node.ts`) | start**: time 12 %, CPU 20 % |
 * | packages in the bundle (`inline`) | start: CPU 118 %, memory 45 %; 39 MB in 4,449 files, not 7.4 MB in 139 |
 * | of Redis' commands what is called (`STAND_INS`) | start**: CPU 44 %, memory 17 % |
 * | of undici, redis and the limiters what is used (`onlyParts`, `STAND_INS`) | start: CPU 11 % |
 * | no comments or indentation (`compact`) | memory: 5 % idle, 8 % under load; output 12.9 MB, not 8.4 MB |
 * | no discord.js (`STAND_INS`) | start: CPU 24 %, memory 8 % |
 * | no compiler of Vue (`STAND_INS`) | first page: 58 % later, memory from then on 8 %; output 0.7 MB |
 * | requires where they stand (`strictRequires` in nuxt.config.ts, for circular ones too) | start: memory 7 % |
 * | no hooks of Nitro for a request (server/plugins/lean.ts) | under load: memory 20 to 45 %, CPU 5 % |
 * | no pretenuring (server/plugins/lean.ts) | after a slow vendor: memory 23 %, CPU 4 % |
 * | room for what is new at once, and only so much (`npm start`) | first burst: p99 20 %; under load: memory 24 % |
 * | a request whose body is read (`ArrivingRequest` in server/http/web.ts) | CPU of a click 7 to 26 % |
 * | no Express beside Teams' SDK (`STAND_INS`) | build: CPU 5 %; output 0.8 MB, which Teams loads |
 * | three folders of Microsoft Graph (`STAND_INS`) | build: CPU 7 %; the output is the same |
 * | nothing looked for to inject (`withoutInject`) | build: CPU 8 %; the output is the same |
 */
export const lean = {
  // What cannot be resolved (optional native helpers) stays outside and is missed only where it is used.
  externals: { inline: [() => true] },
  // Lines stay short and names stay, so that a stack trace can be read without a map twice the size of the code.
  sourceMap: false,
}

export const leanPlugins = () => [standIns(), onlyParts(), compact()]

/** Nitro has every module parsed and walked for names to inject, on Node too, where there are none. */
export function withoutInject(_nitro: unknown, config: { plugins?: unknown }): void {
  config.plugins = (config.plugins as { name?: string }[]).filter(plugin => plugin?.name !== 'inject')
}

interface Build { error: (message: string) => never }

/** What the SDK's adapter for Teams imports of the 1,249 modules of Microsoft Graph; more would fail the build. */
const GRAPH = ['chats', 'teams', 'users']

/**
 * Of the 400 commands of Redis those that our ports, the SDK's state, the limiter and the client itself call: the names
 * of their methods, and of their files in @redis/client where that is not the same in capitals.
 */
const COMMANDS = [
  'AUTH', 'CLIENT_SETNAME', 'del', 'eval', 'evalSha', 'exists', 'expire', 'get', 'hDel', 'hGet', 'hGetAll', 'hIncrBy',
  'hSet', 'hSetNX', 'incrBy', 'info', 'lLen', 'lPop', 'lRange', 'pExpire', 'pExpireAt', 'ping', 'pTTL', 'publish',
  'READONLY', 'readonly', 'role', 'sAdd', 'set', 'sIsMember', 'sRem', 'time', 'zAdd', 'zCard', 'zRange',
  'zRangeByScore', 'zRangeWithScores ZRANGE_WITHSCORES', 'zRank', 'zRem', 'zScore',
].map(command => command.split(' '))

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
  // Teams' SDK would listen by itself, were it not given what the webhook's route brings.
  [/\/node_modules\/express\/index\.js$/, `
    module.exports = () => { throw new Error('Express is not part of the build: the service has its own routes.') }`],
  // No page is rendered on the server, and no template compiled there.
  [/\/@vue\/compiler-(dom|ssr)\//, 'module.exports = {}'],
  // node has what this is for.
  [/\/node-fetch-native\/dist\/native\.mjs$/, `
    export default fetch
    export const { AbortController } = globalThis
    export class Headers { constructor(init) { return new globalThis.Headers(init) } }`],
  // Text and bytes are what our connections send: no `FormData`, for which undici brings half of its own `fetch`. The
  // undici of Vercel's files is another one, in their folder, and fetches.
  [/(?<!\/node_modules\/.*)\/node_modules\/undici\/lib\/web\/fetch\/body\.js$/, `
    exports.extractBody = () => { throw new Error('Only text and bytes are sent.') }`],
  // Who measures reads our own metrics.
  [/\/@redis\/client\/dist\/lib\/opentelemetry\/index\.js$/, `
    exports.ClientRegistry = { instance: { register() {}, unregister() {} } }`],
  [
    /\/@redis\/client\/dist\/lib\/commands\/index\.js$/,
    `exports.__esModule = true
    exports.default = { ${COMMANDS.map(([name, file = name!.toUpperCase()]) => `${name}: require('./${file}').default`)} }`,
  ],
  [
    /\/@microsoft\/teams\.graph-endpoints\/dist\/index\.mjs$/,
    GRAPH.map(name => `export * as ${name} from './${name}/index.mjs'`).join('\n'),
  ],
  // undici speaks HTTP/2 only where it is told to: node loads its own for it at each start.
  [/\/undici\/lib\/dispatcher\/client-h2\.js$/, 'module.exports = undefined'],
]

/** Fails the build when one of them stands in for nothing, as after an update that moves a file. */
function standIns() {
  const unused = new Set(STAND_INS)
  return {
    name: 'stand-ins',
    load(id: string) {
      const found = STAND_INS.find(([file]) => file.test(id))
      if (!found) return null
      unused.delete(found)
      return found[1]
    },
    buildEnd(this: Build, error?: Error) {
      const [first] = unused
      if (first && !error) this.error(`Nothing that is bundled is ${first[0]}: build/lean.ts has to follow.`)
    },
  }
}

const PARTS_OF: Readonly<Record<string, string>> = {
  // Its connections and requests: no cache, no mocks, no `fetch`.
  'undici': `
    import send from 'undici/lib/api/api-request.js'
    export { default as Agent } from 'undici/lib/dispatcher/agent.js'
    export { default as buildConnector } from 'undici/lib/core/connect.js'
    export const request = (url, { dispatcher, ...options }) => {
      const { origin, pathname, search } = new URL(url)
      return send.call(dispatcher, { ...options, origin, path: pathname + search })
    }`,
  // The client without the commands of Redis' modules, which would be made at each start.
  'redis': `
    import client from '@redis/client/dist/lib/client/index.js'
    export const createClient = options => client.create(options)`,
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
