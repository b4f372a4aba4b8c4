import { isBranch } from './paths'

const oneOf = (...patterns: string[]) => new RegExp(`^(?:${patterns.join('|')})$`)

/** Fields of a form that prove that a person sent it, or guard it against forgery; never an answer */
const PROOF = oneOf(
  'h_captcha_response', 'g_recaptcha_response(?:_data)?', 'cf_turnstile_response',
  'frc_captcha_(?:solution|response)', 'altcha', 'authenticity_token', 'csrf', 'csrf_?token',
  'csrf_?middleware_?token', 'request_verification_token',
  'utf8', 'charset', 'wpcf7.*', 'wpnonce', 'wp_http_referer', 'honeypot',
)

const SUBMITTED_THINGS = `(?:${[
  'form', 'entry', 'submission', 'response', 'respondent', 'event', 'post', 'site', 'page', 'session', 'visitor',
  'survey', 'quiz', 'webhook', 'trigger', 'element', 'workspace',
].join('|')})`
const MOMENTS = '(?:created|updated|submitted|received|landed|completed|started|finished|modified|published|accessed)'

/** Names that form providers, and nobody else, give to what they know about a submission */
const ABOUT_SUBMISSION = oneOf(
  `${SUBMITTED_THINGS}_(?:id|ids|uuid|guid|key|slug|name|title|url|type|number|token|hash|version|time|date|timestamp)`,
  `date_${MOMENTS}`, `${MOMENTS}_(?:at|on|by|time|date|timestamp)`, `last_${MOMENTS}(?:_(?:at|on|time))?`,
  'user_agent', 'ip', 'ip_address', '(?:remote|client|visitor)_(?:ip|addr|address)', '(?:source|site|base)_url',
  'http_referer', 'is_(?:read|starred|spam|test|partial|complete|completed|finished)',
  '(?:payment|transaction)_(?:id|status|amount|date|method)', 'powered_by',
)

/** Names that are answers in one form and machinery in the next: they count beside the names above. */
const AMBIGUOUS = oneOf('id', 'status', 'currency', 'powered_by', 'number', 'token')

/** Names of what stands beside the answers in the message of a webhook */
const BESIDE_ANSWERS = oneOf(
  '(?:.+_)?(?:id|ids|uuid|guid|token|signature|checksum|hash|nonce|slug|version|timestamp|url|uri|ref|refs|key|keys)',
  '(?:.+_)?(?:at|on|by|ip|agent|referrer|referer|locale|language|lang|timezone|currency|secret|endpoint)',
  '(?:.+_)?(?:type|kind|status|state|event|action|topic|trigger|mode|source|origin|channel|environment|method|path|test)',
  '(?:.+_)?(?:time|date|duration|seconds|number|count|total|index|score|progress|step|page|d|v)',
  '(?:form|site|survey|page|quiz|workspace|team|account|webhook|user|app|product|custom|bot)_.+',
  '(?:form|site|survey|quiz|workspace|team|account|user|username|webhook|host|domain|app|subscription|object)',
  '(?:hidden|calculated|variables|definition|schema|meta|metadata|context|headers|cookies|query|params|range|tags)',
  '(?:ttc|notes|settings|options|links|files|attachments|documents|quiz|scores|calculations|contact|attributes)',
  '(?:completed|finished|partial|spam|read|starred|complete|respondent|sender|auth_mode|values|utm_.+|pretty|message)',
)

/** Values that only programs write: UUIDs, times, long codes */
const CODE = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{13,}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|[\da-f]{16,}|\d{10,13}(?:\.\d+)?)$/i

/** Words of a key, in lower case: `formId`, `Form ID` and `form-id` are `form_id`. */
export function wordsOf(key: string): string {
  return key.slice(0, 100).replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase().split(/[\s_\-.:]+/).filter(Boolean).join('_')
}

/**
 * Keys of a flat object that are no answers: always the proofs, and what a provider knows about the submission where at
 * least three such names stand together, one of them the id or name of a form, an entry or a submission.
 */
export function machineryOf(keys: readonly string[]): Set<string> {
  const names = keys.map(key => [key, wordsOf(key)] as const)
  const providerNames = names.filter(([, name]) => ABOUT_SUBMISSION.test(name))
  const isFromProvider = providerNames.length >= 3 && providerNames.some(
    ([, name]) => /^(?:form|entry|submission|response)_(?:id|key|name|uuid)$/.test(name),
  )
  return new Set(names.filter(([, name]) => (
    PROOF.test(name) || (isFromProvider && (ABOUT_SUBMISSION.test(name) || AMBIGUOUS.test(name)))
  )).map(([key]) => key))
}

/** True for what may stand beside the object that holds the answers. */
export function isBesideAnswers(key: string, value: unknown): boolean {
  return isBlank(value) || typeof value === 'boolean' || PROOF.test(wordsOf(key)) || ABOUT_SUBMISSION.test(wordsOf(key))
    || BESIDE_ANSWERS.test(wordsOf(key)) || (typeof value === 'string' && CODE.test(value))
}

export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (isBranch(value) && Object.keys(value).length === 0)
}
