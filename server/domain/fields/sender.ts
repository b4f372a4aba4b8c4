import { FIELD_TYPES, fieldTypeOf } from '../../../shared/field-types/field-types'
import { oneLine, visible } from '../../../shared/utils/text'
import type { Form } from '../../ports/form'
import type { Submission, SubmissionData } from '../../ports/submission'
import { mailboxIn } from './addresses'
import type { Answer } from './answers'
import { isBranch } from './paths'
import { readingOf, settingOf } from './reading'
import { ruleFor } from './rules'
import {
  ADDRESS_NAMES, addressNameOf, endsInEmail, namePartOf, ownerIn, plainNames, type AddressName, type NamePart,
} from './sender/names'

/** Person who filled in a form */
interface Sender {
  /** Address for replies, in ASCII */
  address?: string
  name?: string
  /** Addresses that could all be the sender's; absent if the address is clear */
  candidates?: readonly string[]
}

type Filled = Pick<Submission, 'data' | 'envelope'>

type SenderForm = Pick<Form, 'ownAddresses' | 'fields' | 'replyTo'> & Partial<Pick<Form, 'labels'>>

/** Text in an answer, or in an object or list inside of one */
interface Leaf {
  answer: Answer
  /** Member names on the path from the answer to the text */
  members: readonly string[]
  text: string
  isTechnical: boolean
}

interface Mailbox { address: string, name?: string }

/** An address with the text that contains it; without `leaf` the address is from `_replyto` */
interface Candidate extends Mailbox { leaf?: Leaf }

/** Max texts to search for the sender; real forms have fewer. */
const MAX_LEAVES = 500

const MAX_DEPTH = 6

/** Max length of a person's name, and of a key before it is cut, characters */
const [MAX_NAME, MAX_KEY] = [200, 500]

/** Texts that scripts on websites send for an empty field */
const EMPTY_TEXT = /^(?:null|undefined|NaN|\[object \w+\])$/

const NO_REPLY = /^(?:no|do[._-]?not)[._-]?reply(?:$|[^a-z])|^mailer-daemon@/

/** Rank of `_replyto`: after fields of type `email` (below 1) and before all others, ranked by name (from 2) */
const REPLY_TO_RANK = 1

const CARRIED_RANK = REPLY_TO_RANK + 1 + ADDRESS_NAMES.indexOf('carried')

/** True for the text of a field that was filled in */
export function isFilledIn(text: string): boolean {
  return oneLine(text) !== '' && !EMPTY_TEXT.test(text.trim())
}

/**
 * Finds the sender of a form: the address for replies and confirmations, and the name. Prefers the address in a field
 * of type `email`, then the page's `_replyto`, then the field with the likeliest name.
 */
export function findSender(submission: Filled, form: SenderForm): Sender {
  const leaves = leavesOf(submission)
  const [best, ...others] = bestCandidates(leaves, submission, form)
  const name = nameIn(leaves, form.labels) ?? readingOf(submission.data).name
    ?? (best && others.length === 0
      ? best.name ?? nameBeside(best.leaf, leaves) ?? nameBy(best.address, leaves)
      : undefined)
  return {
    ...best && others.length === 0 && { address: best.address },
    ...name !== undefined && { name },
    ...best && others.length > 0 && { candidates: [best, ...others].map(({ address }) => address) },
  }
}

/** Returns the number of addresses that could be the sender's: 1 if the address is clear, 0 if there is none. */
export function senderCount(submission: Filled, form: SenderForm): number {
  return bestCandidates(leavesOf(submission), submission, form).length
}

/** True if the data has this field. The form's setting `replyTo` names it. */
export function hasField(name: string, data: SubmissionData): boolean {
  return leavesAt(name, leavesOf({ data })).length > 0
}

/** Returns the likeliest address of the sender; several if they are equally likely. */
function bestCandidates(leaves: readonly Leaf[], { data, envelope }: Filled, form: SenderForm): Candidate[] {
  const own = new Set((form.ownAddresses ?? []).map(address => address.toLowerCase()))
  const isOwn = (address: string) => own.has(address.toLowerCase()) || NO_REPLY.test(address.toLowerCase())
  const { replyTo: chosen } = form
  // Cards do not show technical values, so use one only if its name says that it is the sender's email.
  const possibleLeaves = leaves.filter(leaf => !leaf.isTechnical || isSendersEmail(leaf, form.labels))
  const found = (chosen === undefined ? possibleLeaves : leavesAt(chosen, leaves)).flatMap((leaf): Candidate[] => {
    const mailbox = mailboxIn(leaf.text)
    return mailbox && !isOwn(mailbox.address) ? [{ ...mailbox, leaf }] : []
  })
  const replyTo = data && chosen === undefined ? envelope?.replyTo : undefined
  const candidates = replyTo !== undefined && !isOwn(replyTo) ? [...found, { address: replyTo }] : found
  const distinct = distinctOf(candidates)
  if (distinct.length < 2 || chosen !== undefined) return distinct
  const ranks = candidates.map(({ leaf }) => leaf ? rankOf(leaf, form) : REPLY_TO_RANK)
  const bestRank = Math.min(...ranks)
  return distinctOf(candidates.filter((_, index) => ranks[index] === bestRank))
}

/** Removes repeated addresses, ignoring case; keeps the first spelling. */
function distinctOf(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.toReversed().map(each => [each.address.toLowerCase(), each])).values()].reverse()
}

/** Returns the texts of the named field. Searches by path, then by label. */
function leavesAt(name: string, leaves: readonly Leaf[]): Leaf[] {
  const byPath = leaves.filter(leaf => `${keyOf(leaf)}.`.startsWith(`${name}.`))
  return byPath.length > 0 ? byPath : leaves.filter(({ answer }) => answer.label === name)
}

/** Returns the rank of an address: the lower, the likelier it is the sender's. */
function rankOf(leaf: Leaf, { fields = {}, labels }: SenderForm): number {
  const { answer, isTechnical } = leaf
  const rules = [ruleFor({ key: keyOf(leaf), label: answer.label }, fields), ruleFor(answer, fields)]
  const isDeclared = answer.isEmail === true || rules.some(rule => fieldTypeOf(rule) === FIELD_TYPES.email)
  const kind = addressNameIn(leaf, labels)
  const place = ADDRESS_NAMES.indexOf(kind)
  // A field of type `email` may still contain somebody else's address.
  if (isDeclared && kind !== 'carried') return place / ADDRESS_NAMES.length
  const rank = REPLY_TO_RANK + 1 + place - (isDeclared ? 1.5 : 0)
  if (!isTechnical) return rank
  // Rank a provider's data about its user after all answers except somebody else's address.
  return CARRIED_RANK - 1 / (place + 2)
}

function addressNameIn(leaf: Leaf, labels: SenderForm['labels']): AddressName {
  const kinds = namesOf(leaf, labels).map(addressNameOf)
  return kinds.find(each => each !== 'other') ?? 'other'
}

function isSendersEmail(leaf: Leaf, labels: SenderForm['labels']): boolean {
  return ['email', 'sender'].includes(addressNameIn(leaf, labels)) && namesOf(leaf, labels).some(endsInEmail)
}

/** Returns the name from the fields for the full, first and last name. */
function nameIn(leaves: readonly Leaf[], labels?: SenderForm['labels']): string | undefined {
  const best = new Map<NamePart, { text: string, doubt: number }>()
  for (const leaf of leaves) {
    if (leaf.isTechnical || leaf.text.length > MAX_NAME) continue
    for (const [index, names] of namesOf(leaf, labels).entries()) {
      const found = namePartOf(names)
      const doubt = found ? found.doubt + index / 2 : Infinity
      const isBetter = found && doubt < (best.get(found.part)?.doubt ?? Infinity) && isFilledIn(leaf.text)
      if (isBetter) best.set(found.part, { text: oneLine(visible(leaf.text.toWellFormed())), doubt })
    }
  }
  const { full, first, last } = Object.fromEntries([...best].map(([part, { text }]) => [part, text]))
  if (first && last) return isEastAsian(last) ? `${last} ${first}` : `${first} ${last}`
  // Beside a first name, the field `Nom` or `Name` is the last name; beside a last name, `Nombre` is the first.
  if (full && first) return full.includes(first) ? full : `${first} ${full}`
  if (full && last) return full.includes(last) ? full : isEastAsian(last) ? `${last} ${full}` : `${full} ${last}`
  return full ?? first ?? last
}

/**
 * Returns the name next to the address: in the same object, such as `{ name: 'Ada', email: 'ada@example.com' }`, or in
 * a field with the same start, such as `donor_name` for `donor_email`.
 */
function nameBeside(addressLeaf: Leaf | undefined, leaves: readonly Leaf[]): string | undefined {
  if (!addressLeaf) return undefined
  const owner = ownerIn(plainLabel(addressLeaf))
  return nameIn(leaves.flatMap((leaf) => {
    const name = addressLeaf.members.length > 0 ? memberBeside(addressLeaf, leaf) : restOf(leaf, owner)
    return name === undefined ? [] : [{ ...leaf, answer: { ...leaf.answer, key: name, label: name }, members: [] }]
  }))
}

/** Returns the name of the leaf's member if both leaves are in the same object; otherwise undefined. */
function memberBeside({ answer, members }: Leaf, leaf: Leaf): string | undefined {
  const isBeside = leaf.answer === answer && leaf.members.length === members.length
    && members.slice(0, -1).every((member, index) => member === leaf.members[index])
  return isBeside ? leaf.members.at(-1) : undefined
}

/** Returns the label of a field without the prefix `start`; undefined if it does not begin with it. */
function restOf(leaf: Leaf, start: string | undefined): string | undefined {
  const label = plainLabel(leaf)
  const isWithStart = start !== undefined && leaf.members.length === 0 && label.startsWith(`${start} `)
  return isWithStart ? label.slice(start.length + 1) : undefined
}

function plainLabel({ answer }: Leaf): string {
  return plainNames([answer.label]).join(' ')
}

/** Returns a text of at least two words that are also in the address: `Dina Levi` for `dina.levi@example.com`. */
function nameBy(address: string, leaves: readonly Leaf[]): string | undefined {
  const [mailbox] = address.toLowerCase().split('@')
  return leaves.find(({ text, isTechnical }) => {
    const words = text.length <= MAX_NAME ? text.toLowerCase().trim().split(/\s+/) : []
    return !isTechnical && words.length >= 2 && words.every(word => mailbox!.includes(word))
  })?.text.trim()
}

function isEastAsian(text: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\s]+$/u.test(text)
}

function leavesOf({ data }: Filled): Leaf[] {
  const { answers, technical } = readingOf(data)
  return [...leavesIn(answers, false), ...leavesIn(technical, true)]
}

function leavesIn(answers: readonly Answer[], isTechnical: boolean): Leaf[] {
  const leaves: Leaf[] = []
  let stepCount = 0
  const add = (answer: Answer, members: readonly string[], value: unknown): void => {
    if (stepCount++ > MAX_LEAVES) return
    if (typeof value === 'string') leaves.push({ answer, members, text: value, isTechnical })
    if (!isBranch(value) || members.length >= MAX_DEPTH) return
    for (const [member, child] of Object.entries(value).slice(0, MAX_LEAVES)) add(answer, [...members, member], child)
  }
  for (const answer of answers.slice(0, MAX_LEAVES)) add(answer, [], answer.value)
  return leaves
}

function keyOf({ answer, members }: Leaf): string {
  return [answer.key, ...members].join('.')
}

/** Returns all names of a text: its answer's label, the key if it differs, and the label from the form's settings. */
function namesOf({ answer, members }: Leaf, labels: SenderForm['labels'] = {}): string[][] {
  const { key, label } = answer
  const parts = key.slice(0, MAX_KEY).split(/[.[\]]+/)
  const ownLabel = settingOf(answer, labels)
  const starts = [
    ...label === key ? [] : [[label]], parts, ...ownLabel === undefined || ownLabel === key ? [] : [[ownLabel]],
  ]
  return starts.map(start => plainNames([...start, ...members].filter(name => !/^\d*$/.test(name))))
}
