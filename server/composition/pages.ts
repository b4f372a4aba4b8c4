import type { Config } from '../config'
import { PasswordGuesses } from '../domain/operations/password-guesses'
import type { People } from '../domain/people/people'
import { admitPerson } from '../domain/people/reviewers'
import { OpsSubmissions, type OpsSubmissionsPorts } from '../domain/queries/ops-submissions'
import { Quarantine, type QuarantinePorts } from '../domain/review/quarantine'
import type { Limiter } from '../ports/limiter'
import type { Monitor } from '../ports/monitor'
import type { Services } from './services'

type PagesParts = Omit<OpsSubmissionsPorts, 'quarantine' | 'revocableMs'> & Omit<QuarantinePorts, 'tellsErasures'> & {
  config: Config
  people: People
  monitor: Monitor
  /** Counts wrong passwords */
  guesses: Limiter
}

/** Services of the ops pages: submissions, and who is let in. */
export function createPages(
  { config, people, guesses, ...parts }: PagesParts,
): Pick<Services, 'opsSubmissions' | 'guesses' | 'admit'> {
  const { reviewers, presentation: { forms } } = parts
  return {
    opsSubmissions: new OpsSubmissions({
      ...parts, revocableMs: config.revocableMs,
      quarantine: new Quarantine({ ...parts, tellsErasures: config.endpoint.tellsErasures }),
    }),
    guesses: new PasswordGuesses({ ...parts, limiter: guesses }),
    admit: person => admitPerson(person, { people, reviewers, forms, viewers: config.people.viewers }),
  }
}
