import type { Line } from '../../../shared/types/line'
import { byClock, said } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { CardAction } from '../../ports/board'
import type { Form } from '../../ports/form'
import type { ClaimRule, Holder, SubmissionRecord } from '../../ports/submission'

/** Who has it, where somebody can. */
export function holderNotes({ holder }: SubmissionRecord, { claim }: Form): Line[] {
  return claim && holder ? [said`${visible(holder.name)} has it (${holder.platform}, ${byClock(holder.since)})`] : []
}

/** The button to take what waits, or to hand it back. */
export function takeActions({ holder }: SubmissionRecord, { claim }: Form): CardAction[] {
  if (!claim) return []
  return [holder ? { id: 'hand_back', label: 'Hand back' } : { id: 'take', label: 'Take' }]
}

/** What is told to who was given it; nothing when nobody gave it. */
export function givenNews({ name, by }: Holder): string {
  return by ? `${visible(name)}, this is yours now: ${visible(by.name)} has given it to you.` : ''
}

/** What is told to who wants it, when another one has it. */
export function takenLine(holder: Holder): Line {
  return said`${has(holder)}.`
}

/** How somebody decides: by a button or form of their own, or by approving what a program asked for. */
export type Way = 'press' | 'approval'

const AGAIN: Record<Way, string> = {
  press: 'Press the button again to decide anyway.',
  approval: 'Nothing was decided. Whoever approved it may decide anyway: ask for the same once more, for them to approve.',
}

/** What is told to who decides it, before they may, or because they may not. */
export function warningLine(holder: Holder, rule: ClaimRule, way: Way = 'press'): Line {
  return rule === 'soft'
    ? said`${has(holder)}. ${AGAIN[way]}`
    : said`${has(holder)}. Others may decide when they hand it back, or from ${byClock(holder.until)} on.`
}

/** What is told to who would hand back what is another one's. */
export function notYoursLine(holder: Holder): Line {
  return said`${has(holder)}: nobody else can hand it back.`
}

function has({ name, platform, since }: Holder): Line {
  return said`${visible(name)} (${platform}) has it since ${byClock(since)}`
}
