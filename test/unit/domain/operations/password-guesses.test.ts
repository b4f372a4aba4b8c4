import { expect, test } from 'vitest'
import { PasswordGuesses } from '../../../../server/domain/operations/password-guesses'
import { testContext } from '../../../fakes/context'
import { FakeRuntime, silentLog } from '../../../fakes/runtime'
import { only } from '../../../fakes/only'
import type { Monitor } from '../../../../server/ports/monitor'
import { memoryLimiter } from '../../../support/sqlite'

function openGuesses() {
  const runtime = new FakeRuntime()
  const [incidents, loggedLines] = [[] as string[], [] as string[]]
  const guesses = new PasswordGuesses(testContext({
    runtime, monitor: only<Monitor>({ incident: kind => void incidents.push(kind) }),
    log: { ...silentLog, warn: event => void loggedLines.push(event) },
  }), memoryLimiter({ limit: 50, windowS: 60 }))
  return { guesses, runtime, incidents, lines: loggedLines }
}

test('fifty wrong passwords in a minute wait for nothing; from then on each attempt does, a right one too', async () => {
  const { guesses, runtime, incidents, lines } = openGuesses()
  for (let attempt = 0; attempt < 50; attempt++) await guesses.slowDown(false)
  await guesses.slowDown(true)
  expect([runtime.waits, incidents, lines]).toEqual([[], [], []])
  await guesses.slowDown(false)
  await guesses.slowDown(true)
  expect([runtime.waits, incidents, lines]).toEqual([[1000, 1000], ['guessed-passwords'], ['sign-in.guessed']])
})

test('many at once wait longer, and nobody longer than 10 s', async () => {
  const { guesses, runtime } = openGuesses()
  const pause = Promise.withResolvers<undefined>()
  runtime.wait = (ms) => {
    runtime.waits.push(ms)
    return pause.promise
  }
  const attempts = Array.from({ length: 600 }, () => guesses.slowDown(false))
  attempts.push(guesses.slowDown(true))
  pause.resolve(undefined)
  await Promise.all(attempts)
  expect(runtime.waits[0]).toBe(1000)
  expect(runtime.waits[10]).toBe(2000)
  expect(Math.max(...runtime.waits)).toBe(10_000)
})
