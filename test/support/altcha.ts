import { hkdfSync } from 'node:crypto'
import { createChallenge, solveChallenge, type Challenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'

/**
 * Solves a challenge as the widget does; returns the value of the form field `altcha`.
 *
 * @param counterStart number to try first; another one leads to another solution
 */
export async function solve(challenge: Challenge, counterStart = 0): Promise<string> {
  const { parameters, signature } = challenge
  const solution = await solveChallenge({ challenge, deriveKey, counterStart })
  return Buffer.from(JSON.stringify({ challenge: { parameters, signature }, solution })).toString('base64')
}

/** Gets a challenge from a server and solves it. */
export async function solveFrom(url: string): Promise<string> {
  return solve(await (await fetch(`${url}/api/challenge`)).json() as Challenge)
}

/** Returns a challenge as a service with this secret would have signed it, `ageMs` ago. */
export function challengeOf(secret: string, ageMs: number): Promise<Challenge> {
  return createChallenge({
    algorithm: 'PBKDF2/SHA-256', cost: 1, deriveKey, expiresAt: new Date(Date.now() + 20 * 60_000 - ageMs),
    hmacSignatureSecret: Buffer.from(hkdfSync('sha256', secret, '', 'altcha', 32)).toString('hex'),
  })
}
