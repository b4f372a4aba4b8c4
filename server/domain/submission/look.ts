import type { Submission } from '../../ports/submission'

/** What cards may show. */
export interface Look {
  submission: Submission
  version: number
  /** It is not stored yet: when something else comes to be stored, it is as good as the version before. */
  isForeseen: boolean
}

export function lookOf(submission: Submission): Look {
  return { submission, version: submission.version, isForeseen: false }
}

/** @param stored the version that is stored now, or is about to be */
export function versionOf({ version, isForeseen }: Look, stored: number): number {
  return isForeseen && version !== stored ? version - 1 : version
}
