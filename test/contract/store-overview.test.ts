import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { storeOverviewContract } from './store-overview'
import { embeddedStore, redisStore } from './stores'

const server = endAfterAll(await startRedis())

storeOverviewContract('Redis', () => redisStore(server.url))
storeOverviewContract('Embedded', async () => embeddedStore())
