import * as words from './words'

/** Longer names of fields are cut before they are compared. */
const MAX_NAME = 120

/** Kinds of names for address fields, from the likeliest for the sender's address; `carried`: somebody else's */
export const ADDRESS_NAMES = ['email', 'sender', 'ending', 'containing', 'other', 'carried'] as const
export type AddressName = typeof ADDRESS_NAMES[number]

/** Part of a person's name */
export type NamePart = 'full' | 'first' | 'last'

/** A name in lower case, without accents, marks and punctuation: `E-Mail *` is `email`. */
function plain(name: string): string {
  const start = name.slice(0, MAX_NAME)
  // Most names are ASCII; this path takes a tenth of the time.
  const letters = /^[ -~]*$/.test(start)
    ? start.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase().replace(/[^a-z\d]+/g, ' ')
    : start.normalize('NFKC').replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').toLowerCase().normalize('NFD')
        .replace(/\p{M}+/gu, '').replace(/ß/g, 'ss').replace(/[^\p{L}\p{N}]+/gu, ' ')
  return letters.trim()
    .replace(/(?<=^| )e ?mail/g, 'email')
    .replace(/ (?:required|optional|pflichtfeld|obligatoire|obligatorio|obrigatorio)$/, '')
}

function phrases(text: string): ReadonlySet<string> {
  return new Set(text.split(/[|\n]/).map(plain).filter(Boolean))
}

const EMAILS = phrases(words.EMAIL)
/** Lengths of the names of email fields, the longest first */
const LENGTHS = [...new Set([...EMAILS].map(({ length }) => length))].sort((a, b) => b - a)
const FULL_NAMES = phrases(words.FULL_NAME)
const FIRST_NAMES = phrases(words.FIRST_NAME)
const LAST_NAMES = phrases(words.LAST_NAME)
const SENDERS = phrases(words.SENDER)
const SENDER_PARTS = [...phrases(words.SENDER_PARTS)]
const OTHERS = phrases(words.CARRIED)
const OTHER_PARTS = [...phrases(words.CARRIED_PARTS)]
const CONTAINERS = phrases(words.BODY_PARTS)

/** Names of a field for the address to which something is sent */
const TO = /^(?:(?:send|sent|e?mail|forward|deliver) )?(?:to|an|para|naar|til|till|кому)(?: (?:e?mail|address|email address))?$/

const hasWord = (name: string, list: ReadonlySet<string>) => name.split(' ').some(word => list.has(word))

function isCarried(name: string): boolean {
  return TO.test(name) || hasWord(name, OTHERS)
    || OTHER_PARTS.some(root => name.includes(root))
}

function isOfSender(name: string): boolean {
  return SENDERS.has(name) || hasWord(name, SENDERS) || SENDER_PARTS.some(root => name.includes(root))
}

/** @param names result of `plainNames`, from the outermost object to the field */
export function addressNameOf(names: readonly string[]): AddressName {
  const whole = names.join(' ')
  if ([...new Set([whole, ...names])].some(isCarried)) return 'carried'
  const parents = names.slice(0, -1).join(' ')
  if (EMAILS.has(whole) || (isOfSender(parents) && EMAILS.has(names.at(-1)!))) return 'email'
  if (isOfSender(whole) || EMAILS.has(withoutNumber(whole))) return 'sender'
  if (endsInEmail(names)) return 'ending'
  return whole.includes('mail') || LENGTHS.some(length => EMAILS.has(whole.slice(0, length))) ? 'containing' : 'other'
}

/** Returns the owner at the start of a field's name: `donor` of `donor email`. */
export function ownerIn(name: string): string | undefined {
  const length = emailLengthIn(name)
  return length === undefined ? undefined : name.slice(0, -length).trimEnd() || undefined
}

/** True for the name of a field that ends in a word for email addresses. */
export function endsInEmail(names: readonly string[]): boolean {
  return emailLengthIn(names.join(' ')) !== undefined
}

/** Length of the words for an email address at the end of a name */
function emailLengthIn(name: string): number | undefined {
  return LENGTHS.find(length => EMAILS.has(name.slice(-length)))
}

/** Returns the part of the sender's name in a field, and a measure of doubt: 0 if the field's name is exact. */
export function namePartOf(names: readonly string[]): { part: NamePart, doubt: number } | undefined {
  const name = names.at(-1) ?? ''
  const parents = names.slice(0, -1)
  const isInName = FULL_NAMES.has(parents.at(-1) ?? '')
  const stripped = withoutSender(name)
  for (const [doubt, candidate] of [isInName ? `${name} name` : name, name, stripped].entries()) {
    const part = FIRST_NAMES.has(candidate) ? 'first' : LAST_NAMES.has(candidate) ? 'last' : 'full'
    // Leave out the name of a company or a product.
    const isPerson = part === 'full' ? FULL_NAMES.has(candidate) && parents.every(isOfSender) : !parents.some(isCarried)
    if (isPerson) return { part, doubt: doubt + (part === 'full' ? parents.length : 0) }
  }
  return undefined
}

/** Removes a number at the end: website builders number their fields, such as `Email 2`. */
function withoutNumber(name: string): string {
  return name.replace(/(?<!\d)\d+$/, '').trimEnd()
}

const QUESTION = /^(?:what(?: is| s)?|whats|please|enter|type|may we have|wie (?:ist|lautet)|quel est|cual es|qual e|o|il) /

/** Removes the leading words that only refer to the sender: `What is your name?` becomes `name`. */
function withoutSender(name: string): string {
  let rest = withoutNumber(name).replace(QUESTION, '').replace(QUESTION, '')
  while (rest.includes(' ') && SENDERS.has(rest.split(' ')[0]!) && !rest.startsWith('user ')) {
    rest = rest.slice(rest.indexOf(' ') + 1)
  }
  return rest
}

/** Returns names in comparable spelling, without names of containers: these say nothing about a field. */
export function plainNames(steps: readonly string[]): string[] {
  const names = steps.map(plain).filter(name => name !== '')
  const telling = names.filter(name => !CONTAINERS.has(name))
  return telling.length > 0 ? telling : names.slice(-1)
}
