/** Stored name of a decision, which one action makes and another takes back. */
type Decision = 'forward' | 'spam'

/** Facts that decide which actions a submission has for the person who looks at it. */
export interface ActionFacts {
  /** `leaving`: forwarded, but nothing is sent yet. `spam`: marked as spam, but its data is still kept. */
  state: 'open' | 'held' | 'leaving' | 'spam' | null
  /** True if its email bounced and can be sent again. */
  isReturned: boolean
  /** Absent if assignment is off. Cards are shown to everybody, so on a card every assignee counts as the viewer. */
  assignee?: 'nobody' | 'viewer' | 'another'
  /** True if some data is not erased yet. */
  isErasable: boolean
}

/** Facts for the confirmation question of an action. */
interface QuestionFacts {
  /** Destinations of a forward that are not delivered yet. */
  destinations: readonly string[]
  /** True if some of the deliveries are already done. */
  isPartial: boolean
  /** Time in which the action can be taken back, in words; null if it cannot. */
  undoTime: string | null
}

/**
 * One action on a submission, for everybody who may decide it. Cards, pages, the API and commands read its texts and
 * styles here; `server/domain/review/actions.ts` implements it.
 */
interface ActionRow {
  /** Label on cards and on the confirm button. */
  label: string
  /** The action is offered while the submission matches all of these facts. */
  in: Partial<ActionFacts>
  /** Pages show each group together. Actions in `opening` open the submission again. */
  group: 'decision' | 'opening' | 'assignment' | 'other'
  /** Decision that the action makes. */
  decides?: Decision
  /** Decision that the action takes back. */
  revokes?: Decision
  /** Form that the action opens. A click without the form keeps the `addresses`; `fields` are required. */
  input?: 'fields' | 'addresses'
  /** True if its label lists the remaining deliveries after a partial delivery. */
  isRetry?: true
  /** Button on cards. Absent if only the pages have one. */
  card?: {
    id: string
    /** Short form of a longer id, at most 8 characters, for platforms with little room. */
    short?: string
    style?: 'primary' | 'danger'
    /** Row of buttons; the first by default. */
    row?: 2 | 3
  }
  /** Properties of the button on pages, for Nuxt UI. */
  page: {
    label: string
    ariaLabel?: string
    icon: string
    color?: 'error' | 'neutral'
    variant?: 'subtle' | 'outline' | 'ghost'
  }
  /** Shortcut, and label among the commands of the pages. */
  command?: { key: string, label: string }
  /** Help text of the typed command `<action id> <submission id>`. Absent if there is none. */
  chat?: string
  /** Confirmation question. Without a question or a form, the action is done at once. */
  question?: { title: string, text: (facts: QuestionFacts) => string }
  /** True if the API can apply the action to many submissions at once. */
  isBulk?: true
  /** Texts for many rows of the list: the confirm button, the past participle and the question. */
  many?: { ask: string, done: string, text: (undoText: string, isRevocable: boolean) => string }
  /** Message after a success. */
  done: string
  /** Title of the error message. */
  failed?: string
  /** Start of the action's line on cards and in the history, such as `Snoozed`. Only if its event is `noted`. */
  note?: string
}

const AT_ONCE_LOOK = { color: 'neutral', variant: 'outline' } as const

const ROWS = {
  'forward': {
    label: 'Forward Submission', in: { state: 'open', isReturned: false }, group: 'decision', decides: 'forward',
    isRetry: true, isBulk: true,
    card: { id: 'forward', style: 'primary' },
    page: { label: 'Forward', icon: 'i-lucide-send' }, command: { key: 'f', label: 'Forward' },
    question: { title: 'Forward this submission?', text: describeForward },
    many: {
      ask: 'Forward', done: 'forwarded', text: undoText => `Each is sent to the recipients of its form. ${undoText}`,
    },
    done: 'Forwarded. Cards are updating.',
  },
  'resend': {
    label: 'Send again', in: { state: 'open', isReturned: true }, group: 'decision', decides: 'forward',
    input: 'addresses',
    card: { id: 'send_again', short: 'resend', style: 'primary' },
    page: { label: 'Send again', icon: 'i-lucide-send' }, command: { key: 'f', label: 'Send again' },
    question: {
      title: 'Send the email again?',
      text: () => 'The email bounced. Every card will say that you sent it again.',
    },
    done: 'Being sent again. Cards are updating.',
  },
  'edit': {
    label: 'Edit & Forward', in: { state: 'open' }, group: 'decision', decides: 'forward', input: 'fields',
    card: { id: 'edit', style: 'primary' },
    page: { label: 'Edit & Forward', icon: 'i-lucide-pencil', variant: 'subtle' },
    command: { key: 'e', label: 'Edit & Forward' },
    done: 'Forwarded. Cards are updating.',
  },
  'spam': {
    label: 'Mark as Spam', in: { state: 'open' }, group: 'decision', decides: 'spam', isBulk: true,
    card: { id: 'spam', style: 'danger', row: 2 },
    page: {
      label: 'Spam', ariaLabel: 'Mark as Spam', icon: 'i-lucide-ban', color: 'error', variant: 'outline',
    },
    command: { key: 's', label: 'Mark as Spam' },
    question: {
      title: 'Mark this submission as spam?',
      text: ({ undoTime }) => undoTime === null
        ? 'Its form data is erased at once and nothing is sent. This cannot be undone.'
        : `Nothing is sent. It can be taken back for ${undoTime}; then its data is erased.`,
    },
    many: {
      ask: 'Mark as spam', done: 'marked as spam',
      text: (undoText, isRevocable) => (
        `Nothing is sent. ${isRevocable ? '' : 'Their form data is erased at once. '}${undoText}`
      ),
    },
    done: 'Marked as spam. Cards are updating.',
  },
  'release': {
    label: 'Release', in: { state: 'held' }, group: 'opening', isBulk: true,
    page: { label: 'Release', icon: 'i-lucide-inbox' }, command: { key: 'r', label: 'Release' },
    done: 'Released. Its cards are on their way.', failed: 'It was not released',
  },
  'undo': {
    label: 'Undo', in: { state: 'leaving' }, group: 'opening', revokes: 'forward', isBulk: true,
    card: { id: 'undo' },
    page: { label: 'Undo', icon: 'i-lucide-undo-2', ...AT_ONCE_LOOK }, command: { key: 'z', label: 'Undo the forward' },
    done: 'Open again. Cards are updating.', failed: 'It was not taken back',
  },
  'reopen': {
    label: 'Not spam', in: { state: 'spam' }, group: 'opening', revokes: 'spam', isBulk: true,
    card: { id: 'not_spam' },
    page: { label: 'Not spam', icon: 'i-lucide-inbox', ...AT_ONCE_LOOK }, command: { key: 'z', label: 'Not spam' },
    done: 'Open again. Cards are updating.', failed: 'It was not taken back',
  },
  'take': {
    label: 'Take', in: { state: 'open', assignee: 'nobody' }, group: 'assignment', isBulk: true,
    card: { id: 'take', row: 3 },
    page: { label: 'Take', icon: 'i-lucide-hand', ...AT_ONCE_LOOK }, command: { key: 't', label: 'Take' },
    chat: 'Assigns a submission to you',
    many: {
      ask: 'Take', done: 'taken', text: () => 'Cards, list and pages show that they are yours until you hand them back.',
    },
    done: 'Assigned to you. Cards are updating.', failed: 'It is not yours',
  },
  'hand-back': {
    label: 'Hand back', in: { state: 'open', assignee: 'viewer' }, group: 'assignment', isBulk: true,
    card: { id: 'hand_back', short: 'handback', row: 3 },
    page: { label: 'Hand back', icon: 'i-lucide-hand', ...AT_ONCE_LOOK }, command: { key: 't', label: 'Hand back' },
    done: 'Handed back. Cards are updating.', failed: 'It was not handed back',
  },
  'erase': {
    label: 'Erase', in: { isErasable: true }, group: 'other',
    page: { label: 'Erase', icon: 'i-lucide-trash-2', color: 'error', variant: 'ghost' },
    question: {
      title: 'Erase this submission?',
      text: () => 'Its form data is erased at once, here and on every card. What was sent elsewhere stays there. This cannot be undone.',
    },
    done: 'Erased. Cards are updating.',
  },
} as const satisfies Record<string, ActionRow>

/** Name of an action in requests to the API. */
export type ActionId = keyof typeof ROWS

type ActionsWith<Shape> = { [Id in ActionId]: (typeof ROWS)[Id] extends Shape ? Id : never }[ActionId]

/** Actions that open a question or a form. */
export type AskingAction = ActionsWith<{ question: object } | { input: string }>
/** Actions done without a question. */
export type InstantAction = Exclude<ActionId, AskingAction>
export type InputAction = ActionsWith<{ input: string }>
export type AssignmentAction = ActionsWith<{ group: 'assignment' }>
export type RevokingAction = ActionsWith<{ revokes: Decision }>
/** Actions on rows of the list. */
export type ListAction = ActionsWith<{ many: object }>
/** Actions with a typed command. */
export type TypedAction = ActionsWith<{ chat: string }>
export type BulkAction = ActionsWith<{ isBulk: true }>
/** Actions with a button on cards. */
export type CardActionId = ActionsWith<{ card: object }>
export type ButtonId = (typeof ROWS)[CardActionId]['card']['id']

export const ACTIONS: Readonly<Record<ActionId, ActionRow & { card?: { id: ButtonId } }>> = ROWS

/** Actions in the order in which cards and pages show them. */
export const ACTION_IDS = Object.keys(ROWS) as ActionId[]

/** Actions that can be applied to many submissions at once. */
export const BULK_ACTIONS = ACTION_IDS.filter((id): id is BulkAction => ACTIONS[id].isBulk === true)

export const LIST_ACTIONS = ACTION_IDS.filter((id): id is ListAction => ACTIONS[id].many !== undefined)

export const REVOKING_ACTIONS = ACTION_IDS.filter((id): id is RevokingAction => ACTIONS[id].revokes !== undefined)

export const INPUT_ACTIONS = ACTION_IDS.filter(opensForm)

export const TYPED_ACTIONS = ACTION_IDS.filter((id): id is TypedAction => ACTIONS[id].chat !== undefined)

export const ASSIGNMENT_ACTIONS = ACTION_IDS.filter(
  (id): id is AssignmentAction => ACTIONS[id].group === 'assignment',
)

/** Action of each button of cards, by the button's id. */
export const BUTTONS = Object.fromEntries(
  ACTION_IDS.flatMap(id => ACTIONS[id].card ? [[ACTIONS[id].card.id, id]] : []),
) as Readonly<Record<ButtonId, CardActionId>>

/** True if the action is done at once. */
export function isInstant(id: ActionId): id is InstantAction {
  return !ACTIONS[id].question && !ACTIONS[id].input
}

export function opensForm(id: ActionId): id is InputAction {
  return ACTIONS[id].input !== undefined
}

/** True if the action cannot be done without its form. */
export function isInputRequired(id: ActionId): id is ActionsWith<{ input: 'fields' }> {
  return ACTIONS[id].input === 'fields'
}

/** True for a decision that needs no input except a confirmation. */
export function isPlainDecision({ decides, input }: ActionRow): boolean {
  return decides !== undefined && input === undefined
}

/** True if the submission has the action now. */
export function isOffered(id: ActionId, facts: ActionFacts): boolean {
  const conditions = Object.entries(ACTIONS[id].in) as [keyof ActionFacts, unknown][]
  return conditions.every(([fact, value]) => facts[fact] === value)
}

/** Returns the action that takes this one back; null if none does. */
export function undoOf({ decides }: ActionRow): RevokingAction | null {
  return (decides && REVOKING_ACTIONS.find(id => ACTIONS[id].revokes === decides)) ?? null
}

function describeForward({ destinations, isPartial, undoTime }: QuestionFacts): string {
  const isUnknown = !isPartial && destinations.length === 0
  if (isUnknown) return 'It cannot be sent: its form is no longer configured, or none of the form\'s destinations takes it.'
  const restText = isPartial ? ' The rest was sent earlier.' : ''
  const afterText = 'Every card will show your name. The form data is deleted here once it has arrived.'
  const laterText = undoTime === null ? '' : ` It goes out ${undoTime} later, and can be taken back until then.`
  return `It is sent to ${destinations.join(' and ')}.${laterText}${restText} ${afterText}`
}
