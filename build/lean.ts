import { transform } from 'esbuild'

/**
 * All changes that make the server lighter than Nitro's defaults, with their gains: the last column is the increase
 * without the change. A change that gains less than 3 % of start-up, memory or speed is removed. Measured from 22 to
 * 24 November 2026 with Node 24: medians of pairs of processes run in turn; a start lasts until the first form is
 * accepted, with Slack and Discord, or with Slack alone where marked with two stars.
 *
 * | change | without it |
 * |---|---|
 * | V8's compiled code is kept (`checked-node.ts`) | start**: time 12 %, CPU 20 % |
 * | packages are bundled (`inline`) | start: CPU 118 %, memory 45 %; 39 MB in 4,449 files, not 7.4 MB in 139 |
 * | only the Redis commands in use (`STAND_INS`) | start**: CPU 44 %, memory 17 % |
 * | only the used parts of undici, redis, the limiters (`onlyParts`, `STAND_INS`) | start: CPU 11 % |
 * | no comments or indentation (`compact`) | memory: 5 % idle, 8 % under load; output 12.9 MB, not 8.4 MB |
 * | no discord.js (`STAND_INS`) | start: CPU 24 %, memory 8 % |
 * | no Vue compiler (`STAND_INS`) | first page: 58 % later, memory from then on 8 %; output 0.7 MB |
 * | requires stay in place (`strictRequires` in nuxt.config.ts, also for circular ones) | start: memory 7 % |
 * | no Nitro hooks per request (server/plugins/lean.ts) | under load: memory 20 to 45 %, CPU 5 % |
 * | no pretenuring (server/plugins/lean.ts) | after a slow vendor: memory 23 %, CPU 4 % |
 * | young generation large from the start, but limited (`npm start`) | first burst: p99 20 %; under load: memory 24 % |
 * | a request whose body is read on demand (`ArrivingRequest` in server/http/web.ts) | CPU of a click 7 to 26 % |
 * | no Express beside Teams' SDK (`STAND_INS`) | build: CPU 5 %; output 0.8 MB, which Teams loads |
 * | only three folders of Microsoft Graph (`STAND_INS`) | build: CPU 7 %; the output is the same |
 * | no search for names to inject (`withoutInject`) | build: CPU 8 %; the output is the same |
 */
export const lean = {
  // Unresolvable imports (optional native helpers) stay external, and fail only where they are used.
  externals: { inline: [() => true] },
  // Lines stay short and names unchanged (`compact`): stack traces are readable without a map twice the code's size.
  sourceMap: false,
}

export const leanPlugins = () => [standIns(), onlyParts(), compact()]

/** Removes Nitro's inject plugin. It parses every module for names to inject, although on Node there are none. */
export function withoutInject(_nitro: unknown, config: { plugins?: unknown }): void {
  config.plugins = (config.plugins as { name?: string }[]).filter(plugin => plugin?.name !== 'inject')
}

interface Build { error: (message: string) => never }

/** Folders of Microsoft Graph's 1,249 modules that the SDK's Teams adapter imports; any other import fails the build */
const GRAPH_FOLDERS = ['chats', 'teams', 'users']

/**
 * Redis commands in use, out of 400: by our ports, the SDK's state, the limiter and the client itself. Each is a method
 * name, followed by its file in @redis/client unless the file has the same name in capitals.
 */
const COMMANDS = [
  'AUTH', 'CLIENT_SETNAME', 'clientSetName CLIENT_SETNAME', 'del', 'eval', 'evalSha', 'exists', 'expire', 'get', 'hDel',
  'hGet', 'hGetAll', 'hKeys', 'hSet', 'incrBy', 'info', 'lLen', 'lPop', 'lRange', 'pExpire', 'pExpireAt', 'ping',
  'pTTL', 'publish',
  'READONLY', 'readonly', 'role', 'sAdd', 'set', 'sIsMember', 'sRem', 'time', 'zAdd', 'zCard', 'zRange',
  'zRangeByScore', 'zRangeWithScores ZRANGE_WITHSCORES', 'zRank', 'zRem', 'zScore',
].map(command => command.split(' '))

/** Removes comments and indentation from the build output. */
function compact() {
  return {
    name: 'compact',
    renderChunk: async (code: string) => ({
      code: (await transform(code, { minifyWhitespace: true, lineLimit: 160 })).code, map: null,
    }),
  }
}

/** Modules that are imported but never used, by file pattern, with the code bundled in their place */
const STAND_INS: readonly (readonly [RegExp, string])[] = [
  // The SDK's adapter imports four names from discord.js (5 MB) for its own listener, which ours replaces.
  [/\/discord\.js\/src\/index\.js$/, `
    exports.Client = class {
      constructor() { throw new Error('discord.js is not part of the build: the service has its own listener.') }
    }
    exports.Events = {}
    exports.GatewayIntentBits = {}
    exports.Partials = {}`],
  // Teams' SDK would start its own server, but our webhook route passes requests to the SDK.
  [/\/node_modules\/express\/index\.js$/, `
    module.exports = () => { throw new Error('Express is not part of the build: the service has its own routes.') }`],
  // The server renders no pages and compiles no templates.
  [/\/@vue\/compiler-(dom|ssr)\//, 'module.exports = {}'],
  // Node has these globals built in.
  [/\/node-fetch-native\/dist\/native\.mjs$/, `
    export default fetch
    export const { AbortController } = globalThis
    export class Headers { constructor(init) { return new globalThis.Headers(init) } }`],
  // Our connections send only text and bytes. For `FormData`, undici would load half of its `fetch`. The library for
  // Vercel's files uses `fetch`, but has its own copy of undici.
  [/(?<!\/node_modules\/.*)\/node_modules\/undici\/lib\/web\/fetch\/body\.js$/, `
    exports.extractBody = () => { throw new Error('Only text and bytes are sent.') }`],
  // Metrics come from our own code.
  [/\/@redis\/client\/dist\/lib\/opentelemetry\/index\.js$/, `
    exports.ClientRegistry = { instance: { register() {}, unregister() {} } }`],
  [
    /\/@redis\/client\/dist\/lib\/commands\/index\.js$/,
    `exports.__esModule = true
    exports.default = { ${COMMANDS.map(([name, file = name!.toUpperCase()]) => `${name}: require('./${file}').default`)} }`,
  ],
  [
    /\/@microsoft\/teams\.graph-endpoints\/dist\/index\.mjs$/,
    GRAPH_FOLDERS.map(name => `export * as ${name} from './${name}/index.mjs'`).join('\n'),
  ],
  // undici uses HTTP/2 only when configured to; its client would load node's http2 module at each start.
  [/\/undici\/lib\/dispatcher\/client-h2\.js$/, 'module.exports = undefined'],
]

/** Fails the build if a stand-in replaces nothing, for example after an update that moves a file. */
function standIns() {
  const unused = new Set(STAND_INS)
  return {
    name: 'stand-ins',
    load(id: string) {
      const standIn = STAND_INS.find(([file]) => file.test(id))
      if (!standIn) return null
      unused.delete(standIn)
      return standIn[1]
    },
    buildEnd(this: Build, error?: Error) {
      const [firstUnused] = unused
      if (firstUnused && !error) {
        this.error(`Nothing that is bundled is ${firstUnused[0]}: build/lean.ts has to follow.`)
      }
    },
  }
}

const PARTS_OF: Readonly<Record<string, string>> = {
  // Connections and requests only: no cache, no mocks, no `fetch`
  'undici': `
    import send from 'undici/lib/api/api-request.js'
    export { default as Agent } from 'undici/lib/dispatcher/agent.js'
    export { default as buildConnector } from 'undici/lib/core/connect.js'
    export const request = (url, { dispatcher, ...options }) => {
      const { origin, pathname, search } = new URL(url)
      return send.call(dispatcher, { ...options, origin, path: pathname + search })
    }`,
  // The client without the commands of Redis modules, which would be created at each start
  'redis': `
    import client from '@redis/client/dist/lib/client/index.js'
    export const createClient = options => client.create(options)`,
  // Two of its 28 limiters, without the other limiters' databases
  'rate-limiter-flexible': `
    export { default as RateLimiterMemory } from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
    export { default as RateLimiterRedis } from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
    export { default as RateLimiterRes } from 'rate-limiter-flexible/lib/RateLimiterRes.js'`,
}

const PART_PREFIX = '\0part of '

/** Bundles only the parts of a package that the server's own code uses. */
function onlyParts() {
  return {
    name: 'only-parts',
    resolveId: (id: string, importer?: string) => (
      id in PARTS_OF && /\/server\/adapters\/|state-redis/.test(importer ?? '') ? PART_PREFIX + id : null
    ),
    load: (id: string) => id.startsWith(PART_PREFIX) ? PARTS_OF[id.slice(PART_PREFIX.length)] : null,
  }
}
