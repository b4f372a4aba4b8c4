import { deploy } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { raceSuite } from '../support/race-suite'
import { startServer } from '../support/server'

const d = endAfterAll(await deploy())
raceSuite(d, [d.server, endAfterAll(await startServer(d.env)), endAfterAll(await startServer(d.env))])
