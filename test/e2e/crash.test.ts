import { RedisCardQueue } from '../../server/adapters/redis/card-queue'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { arm } from '../support/crash-points'
import { crashSuite, SITE_ENV } from '../support/crash-suite'
import { deploy } from '../support/deployment'
import { connectRedis } from '../support/redis-client'
import { startTcpProxy } from '../support/tcp-proxy'

crashSuite(async () => {
  const tcp = await startTcpProxy()
  const d = await deploy({ STORE_URL: tcp.url, ...SITE_ENV })
  tcp.use(d.redis.port)
  // Not through the proxy
  const client = await connectRedis(d.redis.url)
  const store = new RedisStore(client, storeRules)
  return {
    d, store, queue: new RedisCardQueue(client), arm: (point, lateMs) => arm(d, tcp, point, lateMs),
    close: async () => {
      await store.close()
      await tcp.close()
    },
  }
})
