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
  /** Addresses of which any could be the sender's; absent if one is */
  candidates?: readonly string[]
}

type Filled = Pick<Submission, 'data' | 'envelope'>

type SenderForm = Pick<Form, 'to' | 'ownAddresses' | 'fields' | 'replyTo'> & Partial<Pick<Form, 'labels'>>

/** Text of a form, in an answer or in an object or a list that is one */
interface Leaf {
  answer: Answer
  /** Names of the members of the answer that lead to the text */
  members: readonly string[]
  text: string
  isTechnical: boolean
}

interface Mailbox { address: string, name?: string }

/** An address with the text that has it; without one it is `_replyto` */
interface Candidate extends Mailbox { leaf?: Leaf }

/** Texts that are looked at; the forms of people have fewer. */
const MAX_LEAVES = 500

const MAX_DEPTH = 6

/** Longer texts are nobody's name, and longer keys are cut. */
const [MAX_NAME, MAX_KEY] = [200, 500]

/** Texts that scripts of websites send for an empty field. */
const EMPTY_TEXT = /^(?:null|undefined|NaN|\[object \w+\])$/

const NO_REPLY = /^(?:no|do[._-]?not)[._-]?reply(?:$|[^a-z])|^mailer-daemon@/

/** Place of `_replyto` between declared fields (0) and the names of the others (from 2) */
const REPLY_TO_RANK = 1

const CARRIED_RANK = REPLY_TO_RANK + 1 + ADDRESS_NAMES.indexOf('carried')

/** True for the text of a field that was filled in */
export function isFilledIn(text: string): boolean {
  return oneLine(text) !== '' && !EMPTY_TEXT.test(text.trim())
}

/**
 * Finds the sender of a form: the address for replies and confirmations, and the name. Of several addresses, a field
 * of type `email` is the sender's, then `_replyto` of the page, then the field with the most telling name.
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

/** Number of addresses any of which could be the sender's; 1 if it is clear, 0 if there is none */
export function senderCount(submission: Filled, form: SenderForm): number {
  return bestCandidates(leavesOf(submission), submission, form).length
}

/** True if the data has the field that a form names as `replyTo`. */
export function hasField(name: string, data: SubmissionData): boolean {
  return leavesAt(name, leavesOf({ data })).length > 0
}

/** Addresses that are the sender's most likely, each once; several if nothing tells them apart */
function bestCandidates(leaves: readonly Leaf[], { data, envelope }: Filled, form: SenderForm): Candidate[] {
  const own = new Set([...form.to, ...form.ownAddresses ?? []].map(address => address.toLowerCase()))
  const isOwn = (address: string) => own.has(address.toLowerCase()) || NO_REPLY.test(address.toLowerCase())
  const { replyTo: chosen } = form
  // Cards do not show technical values: of their addresses, only those count that are called the sender's email.
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

/** Distinct addresses, ignoring case; the first spelling stays */
function distinctOf(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.toReversed().map(each => [each.address.toLowerCase(), each])).values()].reverse()
}

/** Texts of the field that the form names, by its path or else by its label */
function leavesAt(name: string, leaves: readonly Leaf[]): Leaf[] {
  const byPath = leaves.filter(leaf => `${keyOf(leaf)}.`.startsWith(`${name}.`))
  return byPath.length > 0 ? byPath : leaves.filter(({ answer }) => answer.label === name)
}

/** Lower for an address that is more likely the sender's */
function rankOf(leaf: Leaf, { fields = {}, labels }: SenderForm): number {
  const { answer, isTechnical } = leaf
  const rules = [ruleFor({ key: keyOf(leaf), label: answer.label }, fields), ruleFor(answer, fields)]
  const isDeclared = answer.isEmail === true || rules.some(rule => fieldTypeOf(rule) === FIELD_TYPES.email)
  const kind = addressNameIn(leaf, labels)
  const place = ADDRESS_NAMES.indexOf(kind)
  // A declared field may still be the address of a friend.
  if (isDeclared && kind !== 'carried') return place / ADDRESS_NAMES.length
  const rank = REPLY_TO_RANK + 1 + place - (isDeclared ? 1.5 : 0)
  if (!isTechnical) return rank
  // A provider's knowledge of its user goes before the address of a friend, and after all other answers.
  return CARRIED_RANK - 1 / (place + 2)
}

function addressNameIn(leaf: Leaf, labels: SenderForm['labels']): AddressName {
  const kinds = namesOf(leaf, labels).map(addressNameOf)
  return kinds.find(each => each !== 'other') ?? 'other'
}

function isSendersEmail(leaf: Leaf, labels: SenderForm['labels']): boolean {
  return ['email', 'sender'].includes(addressNameIn(leaf, labels)) && namesOf(leaf, labels).some(endsInEmail)
}

/** Name from the fields for it: whole, or first and last name */
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
 * Name in the object that has the address, such as `Ada` of `{ holder: { name: 'Ada', email: 'ada@example.com' } }`, or
 * in a field with the same start, such as `donor_name` beside `donor_email`
 */
function nameBeside(addressLeaf: Leaf | undefined, leaves: readonly Leaf[]): string | undefined {
  if (!addressLeaf) return undefined
  const owner = ownerIn(plainLabel(addressLeaf))
  return nameIn(leaves.flatMap((leaf) => {
    const name = addressLeaf.members.length > 0 ? memberBeside(addressLeaf, leaf) : restOf(leaf, owner)
    return name === undefined ? [] : [{ ...leaf, answer: { ...leaf.answer, key: name, label: name }, members: [] }]
  }))
}

/** Name of the leaf in the object that has the other one; undefined if it is elsewhere. */
function memberBeside({ answer, members }: Leaf, leaf: Leaf): string | undefined {
  const isBeside = leaf.answer === answer && leaf.members.length === members.length
    && members.slice(0, -1).every((member, index) => member === leaf.members[index])
  return isBeside ? leaf.members.at(-1) : undefined
}

/** Label of a field without its start; undefined if it starts otherwise. */
function restOf(leaf: Leaf, start: string | undefined): string | undefined {
  const label = plainLabel(leaf)
  const isWithStart = start !== undefined && leaf.members.length === 0 && label.startsWith(`${start} `)
  return isWithStart ? label.slice(start.length + 1) : undefined
}

function plainLabel({ answer }: Leaf): string {
  return plainNames([answer.label]).join(' ')
}

/** Text of at least two words that the address repeats: `Dina Levi` of `dina.levi@example.com` */
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

/** Names by which a text is found: of its answer the label, a key that is not the label, and the form's own label */
function namesOf({ answer, members }: Leaf, labels: SenderForm['labels'] = {}): string[][] {
  const { key, label } = answer
  const parts = key.slice(0, MAX_KEY).split(/[.[\]]+/)
  const ownLabel = settingOf(answer, labels)
  const starts = [
    ...label === key ? [] : [[label]], parts, ...ownLabel === undefined || ownLabel === key ? [] : [[ownLabel]],
  ]
  return starts.map(start => plainNames([...start, ...members].filter(name => !/^\d*$/.test(name))))
}
