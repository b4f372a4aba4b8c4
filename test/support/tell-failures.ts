import { beforeEach } from 'vitest'
import { lastWords } from './server'

beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(lastWords())))
