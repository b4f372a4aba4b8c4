/**
 * Names under which answers stand once more beside the list of this name:
 * https://docs.netlify.com/manage/forms/notifications/, https://support.wix.com (Automations, webhooks)
 */
const REPETITIONS: Readonly<Partial<Record<string, RegExp>>> = {
  ordered_human_fields:
    /^(?:number|title|email|name|first_name|last_name|company|summary|body|data|human_fields)$/,
  submissions: /^(?:field:.*|contact)$/,
}

/** OpnForm's note beside the answers: https://github.com/OpnForm/OpnForm (AbstractIntegrationHandler.php) */
const NOTE = /^Please do not use the `submission` field/

/** True for what a provider repeats beside its list of answers, or notes about it. */
export function isRepetition(key: string, value: unknown, list: string): boolean {
  return REPETITIONS[list]?.test(key) === true || (key === 'message' && typeof value === 'string' && NOTE.test(value))
}
