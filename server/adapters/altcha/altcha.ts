import { hkdfSync } from 'node:crypto'
import type { Payload } from 'altcha-lib/types'
import type { Outcome } from '../../ports/delivery'
import type { Limiter } from '../../ports/limiter'
import type { HumanCheck } from '../../ports/sender'

export interface AltchaOptions {
  /** Secret of the service; the key that signs challenges is derived from it. */
  secret: string
  /** Counts the uses of each challenge, over all replicas and for at least as long as a challenge is valid. */
  uses: Limiter
  now?: () => number
}

/** Validity of a challenge, ms */
const TTL_MS = 20 * 60_000

/** Longest solution, characters; those of the widget have about 600. */
const MAX_SOLUTION = 2048

/**
 * Work for one solution: a browser derives 256 keys on average, and we derive one to check it, in half a millisecond.
 * Browsers take a few tenths of a second. A longer prefix would take longer without more work for a native program.
 */
const WORK = { algorithm: 'PBKDF2/SHA-256', cost: 2000, keyPrefix: '00' }

/** Loads the library when it is first needed: most deployments never need it. */
const loadLibrary = async () => ({ ...await import('altcha-lib'), ...await import('altcha-lib/algorithms/pbkdf2') })

/** Lets browsers do a little work for each form (https://altcha.org), without another service. */
export function createAltcha({ secret, uses, now = Date.now }: AltchaOptions): Required<HumanCheck> {
  const hmacSignatureSecret = Buffer.from(hkdfSync('sha256', secret, '', 'altcha', 32)).toString('hex')

  /** Returns the nonce of a solved challenge; null if the solution is wrong or too late, or the challenge not ours. */
  async function solvedNonce(token: string): Promise<string | null> {
    const { verifySolution, deriveKey } = await loadLibrary()
    try {
      const { challenge, solution } = JSON.parse(Buffer.from(token, 'base64').toString()) as Payload
      const { verified } = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret })
      return verified ? challenge.parameters.nonce : null
    }
    catch {
      // Anything may be in a token: JSON of another shape is refused as well.
      return null
    }
  }

  /** Resolves with true for the first form with this challenge, and when the same form is sent again. */
  async function claim(nonce: string, attemptKey?: string): Promise<boolean> {
    const attempt = `altcha:${nonce} ${attemptKey}`
    const isFirst = await uses.take(`altcha:${nonce}`, uses.limit) === 0
    if (attemptKey === undefined) return isFirst
    // The mark of the first form is above the limit. Asking for it counts nothing.
    const waitMs = await uses.take(attempt, isFirst ? uses.limit + 1 : 0)
    return isFirst || waitMs > 0
  }

  return {
    field: 'altcha',
    async challenge() {
      const { createChallenge, deriveKey } = await loadLibrary()
      return createChallenge({ ...WORK, deriveKey, hmacSignatureSecret, expiresAt: new Date(now() + TTL_MS) })
    },
    async verify(token, { attemptKey }): Promise<Outcome> {
      const nonce = token.length > MAX_SOLUTION ? null : await solvedNonce(token)
      if (nonce === null) return refusedSolution
      return claim(nonce, attemptKey).then(
        isClaimed => isClaimed ? { ok: true, value: undefined } : refusedSolution,
        () => ({ ok: false, reason: 'The store that counts the uses does not answer.', permanent: false }),
      )
    },
  }
}

const refusedSolution: Outcome = {
  ok: false,
  reason: 'The solution of the human check was refused: it is wrong, its challenge is older than 20 minutes or not from here, or it was used before. Get a new challenge from /api/challenge (widget.reset()) and send the form again.',
  permanent: true,
}
