import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { aliases, problemsOf, PRODUCTION, variables } from '../../fixtures/config/env'

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n')
  const listedNames = lines.flatMap(line => /^(?:# )?([A-Z][A-Z0-9_]+)=/.exec(line)?.[1] ?? [])

  test('names exactly the variables that are read, each once', () => {
    const setByTheHost = ['NODE_ENV', 'VERCEL', 'VERCEL_PROJECT_PRODUCTION_URL']
    expect(listedNames.toSorted()).toEqual(Object.keys(variables).filter(name => !setByTheHost.includes(name)).sort())
  })

  test('names the alias of each in the comment above it', () => {
    for (const [name, alias] of aliases) {
      const at = lines.findIndex(line => line.replace('# ', '').startsWith(`${name}=`))
      expect(lines[at - 1]).toBe(`# Alias: ${alias}`)
    }
    expect(lines.filter(line => line.startsWith('# Alias: '))).toHaveLength(aliases.length)
  })

  test('leaves open exactly what production needs, and its defaults are the real ones', () => {
    const openNames = lines.flatMap(line => /^([A-Z0-9_]+)=$/.exec(line)?.[1] ?? [])
    expect(openNames.toSorted()).toEqual(problemsOf({}).map(problem => problem.split(' ')[0]!).sort())
    const defaulted = [
      'DATA_DIR', 'MAIL_FROM_NAME', 'MAX_BODY_BYTES', 'BODY_MEMORY_BYTES', 'BODY_TIMEOUT_MS', 'FORM_RATE_LIMIT',
      'FORM_RATE_LIMIT_MB', 'TRUST_PROXY', 'FORM_HONEYPOT', 'HELD_MAX', 'RETRY_BASE_MS', 'RETRY_FOR', 'LEASE_MS',
      'SWEEP_INTERVAL_MS',
    ]
    const shownDefaults = Object.fromEntries(lines.flatMap((line): [string, string][] => {
      const [, name, value] = /^# ([A-Z_]+)=(.+)$/.exec(line) ?? []
      return name && value && defaulted.includes(name) ? [[name, value]] : []
    }))
    expect(Object.keys(shownDefaults)).toHaveLength(14)
    expect(readConfig({ ...PRODUCTION, ...shownDefaults })).toEqual(readConfig(PRODUCTION))
  })
})
