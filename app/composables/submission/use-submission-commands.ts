import type { AtOnce, Deciding } from './use-submission'

interface CommandContext {
  submission: Readonly<Ref<SubmissionDetails | null>>
  editing: Readonly<Ref<unknown>>
  atOnce: Readonly<Ref<AtOnce | undefined>>
  ask: (what: Deciding) => unknown
  act: (action: AtOnce) => unknown
  undoing: () => PaletteCommand[]
}

const AT_ONCE: Record<AtOnce, Omit<PaletteCommand, 'run'>> = {
  'take': { key: 't', label: 'Take', icon: 'i-lucide-hand' },
  'hand-back': { key: 't', label: 'Hand back', icon: 'i-lucide-hand' },
  'undo': { key: 'z', label: 'Undo the forward', icon: 'i-lucide-undo-2' },
  'reopen': { key: 'z', label: 'Not spam', icon: 'i-lucide-inbox' },
  'release': { key: 'r', label: 'Release', icon: 'i-lucide-inbox' },
}

/** Commands for the submission that is shown. Users without permission get no decisions. */
export function useSubmissionCommands({ submission, editing, atOnce, ask, act, undoing }: CommandContext): void {
  function listDecisionCommands(): PaletteCommand[] {
    const { value } = submission
    if (!value?.mayDecide || editing.value) return []
    const toCommand = (what: Deciding, key: string, label: string, icon: string) => (
      { key, label, icon, run: () => ask(what) }
    )
    const actions = [value.open ? undefined : atOnce.value, value.taking].filter(action => !!action)
    return [
      ...value.open
        ? [
            value.sendAgain === null
              ? toCommand('forward', 'f', 'Forward', 'i-lucide-send')
              : toCommand('resend', 'f', 'Send again', 'i-lucide-send'),
            toCommand('edit', 'e', 'Edit & Forward', 'i-lucide-pencil'),
            toCommand('spam', 's', 'Mark as Spam', 'i-lucide-ban'),
          ]
        : [],
      ...actions.map(action => ({ ...AT_ONCE[action], run: () => act(action) })),
    ]
  }

  // Commands for this submission come before undoing a decision elsewhere.
  useCommands(() => [...listDecisionCommands(), ...undoing()])
}
