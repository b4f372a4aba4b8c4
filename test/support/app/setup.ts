import { afterEach, beforeEach } from 'vitest'
import { closePage, openPage } from './mounted'

beforeEach(openPage)
afterEach(closePage)
