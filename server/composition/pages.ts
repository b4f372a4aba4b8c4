import type { Context } from '../domain/context'
import { PasswordGuesses } from '../domain/operations/password-guesses'
import { admitPerson } from '../domain/people/reviewers'
import { OpsSubmissions } from '../domain/queries/ops-submissions'
import { Quarantine } from '../domain/review/quarantine'
import type { Limiter } from '../ports/limiter'
import type { Person } from '../ports/submission'
import type { Triage } from './triage'

/**
 * Services of the ops pages: submissions and access.
 *
 * @param guesses counts wrong passwords
 */
export function createPages(context: Context, { outbox, people, reviewers, decisions }: Triage, guesses: Limiter) {
  const quarantine = new Quarantine(context, outbox, reviewers)
  return {
    opsSubmissions: new OpsSubmissions(context, outbox, reviewers, decisions, quarantine),
    guesses: new PasswordGuesses(context, guesses),
    admit: (person: Person) => admitPerson(person, context, people, reviewers),
  }
}
