import type { CardRef, Delivery, Submission, Work } from '../../ports/submission'

/** What is to be done as things are. A card to post waits while its submission is decided: it is wanted only if that is opened again. */
export function outstanding({ state, work }: Submission): readonly Work[] {
  return state === 'open' ? work : work.filter(({ kind }) => kind !== 'post')
}

/** Whether people may still have to do with it: it waits, or is being delivered. */
export function isPending({ state }: Pick<Submission, 'state'>): boolean {
  return state === 'open' || state === 'settling'
}

export function updates(cards: readonly CardRef[], version: number, dueAt: number): Work[] {
  return cards.map(card => ({ key: `update:${card.platform}:${card.messageId}#${version}`, kind: 'update', card, attempts: 0, dueAt }))
}

/**
 * What the cards show has changed with this version: each of them has to follow. One that is being edited right now is
 * looked after when its edit is done, so that changes that come together cost one edit.
 */
export function followed(next: Submission, now: number, leaseMs: number): { next: Submission, added: Work[] } {
  const inHand = next.work.filter(work => work.kind === 'update' && work.attempts === 0 && work.dueAt > now)
  const added = updates(next.cards.filter(card => !inHand.some(work => sameCard(work.card!, card))), next.version, now + leaseMs)
  const rest = next.work.filter(work => work.kind !== 'update' || inHand.includes(work))
  return { next: { ...next, look: next.version, work: [...rest, ...added] }, added }
}

export function withCard(cards: readonly CardRef[], card: CardRef): readonly CardRef[] {
  return cards.some(other => sameCard(other, card)) ? cards : [...cards, card]
}

export function sameCard(a: CardRef, b: CardRef): boolean {
  return a.platform === b.platform && a.messageId === b.messageId
}

export function isDelivery(kind: Work['kind'] | undefined): kind is Delivery {
  return kind === 'email' || kind === 'endpoint'
}
