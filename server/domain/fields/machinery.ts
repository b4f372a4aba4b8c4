import { isObject } from '../json'
import { isBranch } from './paths'

const oneOf = (...patterns: string[]) => new RegExp(`^(?:${patterns.join('|')})$`)

/** Names of captchas and of tokens against forgery; never an answer */
const PROOF = oneOf(
  '(?:[a-z]{1,3}_)?(?:re|h)?captcha(?:_(?:response|solution|token|key|settings|response_data))?',
  'cf_turnstile_response', 'altcha', 'authenticity_token', '[cx]srf', '[cx]srf_?token', 'csrf_?middleware_?token',
  'request_verification_token', 'viewstate(?:generator)?', 'eventvalidation', 'form_build_id', 'utf8', 'charset',
  'wpcf7.*', 'wpnonce', 'wp_http_referer', 'fluentform.*', 'fluent_form.*', 'honeypot', 'gotcha', 'fvv', 'fbzx',
)

/** Things for which providers send an id */
const THING = `(?:${[
  'form', 'survey', 'quiz', 'entry', 'submission', 'response', 'respondent', 'event', 'webhook', 'trigger', 'post',
  'site', 'page', 'portal', 'session', 'visitor', 'element', 'container', 'workspace', 'account', 'team', 'app',
  'project', 'tenant', 'organi[sz]ation', 'campaign', 'ad', 'adset', 'list', 'leadgen', 'request', 'delivery',
  'message', 'trace', 'execution', 'workflow', 'collector', 'record', 'display', 'ending', 'single_use', 'activation',
  'meta', 'contact', 'lead', 'user', 'owner', 'instance', 'subscription', 'conversion', 'canonical', 'unique',
].join('|')})`

/** Names that only providers use, for their own data about a submission */
const ABOUT_SUBMISSION = oneOf(
  `(?:${THING}_){1,3}(?:id|uid|uuid|guid|vid)`, '(?:form|submission|response)_(?:key|slug|name|title|url|token|hash)',
  '(?:form|submission|response)_(?:type|number|version|locale|status|time|date|timestamp)', '(?:form|field)_structure',
  '(?:survey|quiz|webhook|workspace)_(?:name|title|slug|key|url|type)', 'entry_(?:key|url)', '(?:event|trigger)_type',
  'date_(?:created|updated|submitted)',
  '(?:last_)?(?:created|updated|submitted|modified)_(?:at|on|by|time|date|timestamp)',
  '(?:landed|received|completed|started|finished|fired|saved|processed|published|sent|added)_(?:at|timestamp)',
  'user_agent', 'ip', 'ip_address', '(?:remote|client|visitor)_(?:ip|addr|address)', '(?:page|source|site)_url',
  'page_title', 'http_referer', 'is_(?:read|starred|spam|test|partial)', 'handshake_key', 'serial_number',
  'hs_.+', 'createdate', 'lastmodifieddate',
)

const FORM = oneOf('form', 'survey', 'quiz')

const ABOUT_FORM = oneOf('form', 'survey', 'quiz', 'entry', 'submission', 'meta', 'webhook')

/** Names of objects that describe a submission, or are the text that a visitor submits, such as a poem for a contest */
const CONTENT = oneOf('entry', 'submission')

/** Names of members that a visitor writes */
const WRITTEN = oneOf(
  'title', 'text', 'name', 'body', 'content', 'description', 'message', 'comment', 'summary', 'subject', 'abstract',
)

/** Names of ids that identify a flat object as a provider's */
const SUBMISSION_ID = oneOf('(?:form|entry|submission|response)_(?:id|uuid|key|name|title)', 'ad_id')

/** Names next to the answers that, like the ones above, only a provider's message has */
const MARK = oneOf('id', 'uid', 'uuid', 'guid', 'vid', 'timestamp', 'd', 'headers', 'edit_link', 'submissions_link')

/** Names of technical values next to the answers in a provider's message */
const BESIDE_ANSWERS = oneOf(
  '(?:.+_)?(?:token|checksum|hash|nonce|slug|version|ref|refs|ids|vids)', 'variant',
  '(?:.+_)?(?:url|uri|href|link|locale|variables|calculations)', '(?:page|site|ad|campaign)_(?:name|variant)',
  '(?:hidden|calculated|definition|scoring|schema|meta|metadata|meta_data|context|cookies|query)',
  '(?:params|url_parameters|url_params|query_parameters|query_params|utm_.+|tracking|ttc|settings|ending|endings|keys)',
  '(?:device|browser|geo|range|quiz|score|scores|tags|attachments|links|pretty|referrer|referer|timezone|time_zone)',
  '(?:published_path|execution_mode|auth_mode|api_response|field_mask|form_field_mask|plugin_version|unit_tag)',
  '(?:finished|completed|complete|partial|spam|test|success|is_contact|list_memberships|identity_profiles)',
  '(?:form_submissions|merge_audits|delivery_tries|step|.+_count|old_record|previous|previous_.+|data_xml)',
)

/** Names of keywords about a provider's message, such as `type: "INSERT"`; in a website's own form they are answers. */
const WORD = oneOf(
  'type', 'kind', 'status', 'state', 'event', 'event_name', 'trigger_event', 'action', 'topic', 'trigger', 'mode',
  'source', 'origin', 'channel', 'environment', 'method', 'category', 'operation', 'object', 'model', 'table',
  'collection', 'resource', 'entity', 'key',
)

/** Keywords that programs write under such names: `form.submitted`, `responseFinished`, `INSERT` */
const PROGRAM_WORD = /^(?:[A-Z][A-Z_]{1,40}|[a-z\d]{1,40}(?:[.:_-][a-z\d]{1,40}){1,5}|[a-z]{1,40}[A-Z][a-z]\w{0,40})$/
const ABOUT_FORMS = new RegExp([
  'form', 'submi', 'response', 'survey', 'entry', 'record', 'insert', 'creat', 'updat', 'complet', 'finish', 'lead',
  'booking', 'invitee', 'subscri', 'contact', 'answer',
].join('|'), 'i')
const USUAL_WORD = oneOf(
  'created?', 'submit', 'lead', 'default', 'updated?', 'insert(?:ed)?', 'submitted', 'completed?', 'finished', 'new',
  'active', 'published', 'inbox',
  'public', 'private', 'success', 'ok', 'web', 'form', 'page', 'production', 'test', 'live', 'response', 'submission',
  'subscribe', 'processed', 'received', 'FULL', 'LIMITED', 'NONE',
)

/** Values that only programs write: UUIDs and long hexadecimal numbers */
const CODE = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{13,}|[\da-f]{16,})$/i

/** Time as programs write it, with its zone */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/

const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z]{2,8})?$/i

/** Max length of a compared name, characters; no list here has longer ones. */
export const MAX_NAME = 60

/** Returns the key in snake case: `form_id` for `formId`, `Form ID` and `form-id`. */
export function snakeCase(key: string): string {
  if (/^[a-z\d]{1,40}(?:_[a-z\d]{1,40}){0,5}$/.test(key)) return key
  return key.slice(0, MAX_NAME).replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase().split(/[\s_\-.:]+/).filter(Boolean).join('_')
}

/**
 * Returns the keys of an object that are not answers: captchas and tokens, and in a provider's object also its data
 * about the submission.
 *
 * @param isInEnvelope true if a provider sent the object for certain
 */
export function machineryOf(object: object, isInEnvelope: boolean): Set<string> {
  const isFromProvider = isInEnvelope || isOfProvider(object)
  const isMachinery = ([key, value]: readonly [string, unknown]) => {
    const name = snakeCase(key)
    if (PROOF.test(name)) return true
    if (!isFromProvider) return false
    return isAbout(name, value) || key.startsWith('$') || (name === 'id' && (isInEnvelope || isCode(value)))
      || (isInEnvelope && key.startsWith('_') && (isBlank(value) || isCode(value)))
  }
  const entries: [string, unknown][] = Object.entries(object)
  const machinery = entries.filter(isMachinery)
  // A website's own form may have no other fields than `form_name` and `account_id`. They are its answers then.
  const isWholeForm = !isInEnvelope && machinery.length === entries.length
  return new Set(machinery.map(([key]) => key).filter(key => !isWholeForm || isProof(key)))
}

/** True for the name of a captcha or of a token against forgery, which no person fills in. */
export function isProof(key: string): boolean {
  return PROOF.test(snakeCase(key))
}

/**
 * True for an object that only a provider sends. It has an object that describes a form or submission, or two members
 * about these; one of the two is the id or the name of a form, an entry or a submission.
 */
export function isOfProvider(object: object): boolean {
  const about = Object.entries(object).filter(([key, value]) => isAbout(snakeCase(key), value))
  return about.some(([, value]) => isBranch(value))
    || (about.length >= 2 && about.some(([key]) => SUBMISSION_ID.test(snakeCase(key))))
}

function isAbout(name: string, value: unknown): boolean {
  return ABOUT_SUBMISSION.test(name) || isAboutForm(name, value)
}

/** True for a question that no person answered: a captcha, a token, or a provider's data about a contact. */
export function isMachineQuestion(key: string): boolean {
  const name = snakeCase(key)
  return PROOF.test(name) || ABOUT_SUBMISSION.test(name)
}

/** True for a technical value that may be next to the object with the answers. */
export function isBesideAnswers(key: string, value: unknown): boolean {
  const name = snakeCase(key)
  if (value === null || isEmptyBranch(value)) return true
  if (PROOF.test(name) || BESIDE_ANSWERS.test(name) || isMark(key, value)) return true
  if (typeof value !== 'string') return WORD.test(name) && typeof value === 'number'
  return CODE.test(value)
    || (WORD.test(name) && (PROGRAM_WORD.test(value) || USUAL_WORD.test(value)))
    || (/^(?:model|table|collection|uid|site)$/.test(name) && /^[\w:.-]+$/.test(value))
    || (/^(?:language|locale|lang)$/.test(name) && LANGUAGE.test(value))
    || (name === 'signature' && /^[\w+/=-]{16,}$/.test(value))
}

/** True for a value that only a provider's message has, such as the id of a form. */
export function isMark(key: string, value: unknown): boolean {
  const name = snakeCase(key)
  if (isBlank(value)) return false
  return isAbout(name, value) || MARK.test(name)
    || (FORM.test(name) && !isBranch(value))
    || (WORD.test(name) && typeof value === 'string' && PROGRAM_WORD.test(value) && ABOUT_FORMS.test(value))
}

/** True for an object that describes a form or a submission: it has an id or a time or, for a form, a title or name. */
function isAboutForm(name: string, value: unknown): boolean {
  if (!ABOUT_FORM.test(name) || !isObject(value)) return false
  const names = Object.keys(value).map(snakeCase)
  const isForm = FORM.test(name)
  // A visitor writes a title and a text of an entry, too. Of a form, nobody but its provider sends an object.
  if (CONTENT.test(name) && names.some(each => WRITTEN.test(each))) return false
  return names.some(each => /^(?:id|uuid)$/.test(each) || ABOUT_SUBMISSION.test(each))
    || (isForm && (names.includes('title') || names.includes('slug') || (names.length === 1 && names[0] === 'name')))
}

export function isCode(value: unknown): boolean {
  return isId(value) || (typeof value === 'string' && TIMESTAMP.test(value))
}

/** True for a UUID or a long hexadecimal number. */
export function isId(value: unknown): boolean {
  return typeof value === 'string' && CODE.test(value)
}

export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || isEmptyBranch(value)
}

function isEmptyBranch(value: unknown): boolean {
  return isBranch(value) && Object.keys(value).length === 0
}
