import type { OpsRole } from '../../../shared/types/session'
import type { Forms } from '../../ports/form'
import type { Person } from '../../ports/submission'
import { PeopleUnknown } from '../errors'
import type { People } from './people'
import type { Reviewers } from './reviewers'

export interface AdmissionPorts {
  people: Pick<People, 'known'>
  reviewers: Pick<Reviewers, 'has'>
  forms: Pick<Forms, 'all'>
  /** OPS_VIEWERS. */
  viewers?: readonly string[]
}

/**
 * Somebody who signed in to the ops pages, and what they may do there; null when they may not even look.
 *
 * Who is on a list of reviewers decides. Once viewers are listed, they look, and nobody else is let in: who signs in by
 * password takes any name, so that a list of those who may not decide would keep nobody from it. Without viewers
 * everybody looks, and decides where some form has no list of reviewers.
 *
 * @returns the role is null while somebody looks of whom nobody can tell whether they decide
 * @throws PeopleUnknown while nobody can tell whether they look
 */
export async function admit(
  signedIn: Person, { people, reviewers, forms, viewers }: AdmissionPorts,
): Promise<{ person: Person, role: OpsRole | null } | null> {
  const person = { ...signedIn, ...people.known(signedIn.names ?? []) }
  const lists = forms.all.map(form => form.reviewers)
  if (!viewers && lists.includes(undefined)) return { person, role: 'reviewer' }
  const isReviewer = await reviewers.has(lists.flatMap(list => list ?? []), person)
  if (isReviewer) return { person, role: 'reviewer' }
  const isViewer = viewers ? await reviewers.has(viewers, person) : true
  if (isViewer) return { person, role: isReviewer === null ? null : 'viewer' }
  if (isReviewer === null || isViewer === null) throw new PeopleUnknown()
  return null
}
