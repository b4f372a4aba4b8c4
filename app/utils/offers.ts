import {
  ACTION_IDS, ACTIONS, isOffered, type ActionFacts, type ActionId, type ListAction,
} from '../../shared/actions'
import type { Row, SubmissionDetails } from '../../shared/types/submissions'

/** Returns the actions that the viewer has on a submission. */
export function offersOn(submission: SubmissionDetails): ActionId[] {
  return submission.mayDecide ? ACTION_IDS.filter(id => isOffered(id, factsOf(submission))) : []
}

/** True if the viewer, who may decide, has the action on a row of the list. */
export function isOfferedOnRow(id: ListAction, { open, holder }: Pick<Row, 'open' | 'holder'>, takes: boolean) {
  const assignee = holder ? 'another' : 'nobody'
  return isOffered(id, {
    state: open ? 'open' : null, isReturned: false, isErasable: false, ...takes && { assignee } as const,
  })
}

/** Returns the color of the button that confirms the action. */
export function confirmColor(id: ActionId): 'error' | 'primary' {
  return ACTIONS[id].page.color === 'error' ? 'error' : 'primary'
}

function factsOf(
  { open, state, revocation, taking, sendAgain, mayErase }: SubmissionDetails,
): ActionFacts {
  const revocableState = revocation ? ACTIONS[revocation.action].in.state! : null
  return {
    state: open ? 'open' : state === 'held' ? state : revocableState, isReturned: sendAgain !== null,
    assignee: taking ? ACTIONS[taking].in.assignee : undefined, isErasable: mayErase,
  }
}
