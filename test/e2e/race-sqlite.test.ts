import { join } from 'node:path'
import { deploy } from '../support/deployment'
import { endAfterAll, sharedFolder } from '../support/lifetime'
import { raceSuite } from '../support/race-suite'

const d = endAfterAll(await deploy({ STORE_URL: `sqlite:${join(sharedFolder(), 'forms.db')}` }))
raceSuite(d, [d.server])
