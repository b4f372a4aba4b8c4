import { ACTIONS, isInstant, type AskingAction, type InstantAction } from '../../../shared/actions'

interface CommandContext {
  submission: Readonly<Ref<SubmissionDetails | null>>
  editing: Readonly<Ref<unknown>>
  ask: (what: AskingAction) => unknown
  act: (action: InstantAction) => unknown
  undoing: () => PaletteCommand[]
}

/** Commands for the submission that is shown. Users without permission get no decisions. */
export function useSubmissionCommands({ submission, editing, ask, act, undoing }: CommandContext): void {
  function listDecisionCommands(): PaletteCommand[] {
    const { value } = submission
    if (!value || editing.value) return []
    return offersOn(value).flatMap((id) => {
      const { command, page: { icon } } = ACTIONS[id]
      return command ? [{ ...command, icon, run: () => isInstant(id) ? act(id) : ask(id as AskingAction) }] : []
    })
  }

  // Commands for this submission come before undoing a decision elsewhere.
  useCommands(() => [...listDecisionCommands(), ...undoing()])
}
