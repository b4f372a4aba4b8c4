import { resolve } from 'node:path'
import { defineNuxtModule } from 'nuxt/kit'

/**
 * Of nuxt-auth-utils the service uses the sealed session, under the name `#sealed-sessions`, and nothing else. What else
 * it brings is taken out: its session routes, which know nothing of who may look and fail without a session password; a
 * start-up plugin that writes a script into pages; and the configuration of some forty identity providers, each open to
 * variables of its own.
 */
export default defineNuxtModule({
  meta: { name: 'sealed-sessions' },
  setup(_, { options }) {
    options.alias['#sealed-sessions'] = resolve(options.alias['#auth-utils']!, '../../server/utils/session')
    options.serverHandlers = options.serverHandlers.filter(({ route }) => !route?.startsWith('/api/_auth/'))
    options.nitro.plugins = options.nitro.plugins?.filter(path => !path.includes('nuxt-auth-utils'))
    for (const key of ['oauth', 'webauthn', 'hash']) Reflect.deleteProperty(options.runtimeConfig, key)
    Reflect.deleteProperty(options.runtimeConfig.public, 'auth')
  },
})
