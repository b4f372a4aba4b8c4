/**
 * Names of members that repeat answers, by the name of the list of answers next to them:
 * https://docs.netlify.com/manage/forms/notifications/, https://support.wix.com (Automations, webhooks)
 */
const REPETITIONS: Readonly<Partial<Record<string, RegExp>>> = {
  ordered_human_fields:
    /^(?:number|title|email|name|first_name|last_name|company|summary|body|data|human_fields)$/,
  submissions: /^(?:field:.*|contact)$/,
}

/** OpnForm's note next to the answers: https://github.com/OpnForm/OpnForm (AbstractIntegrationHandler.php) */
const NOTE = /^Please do not use the `submission` field/

/** True for a member that only repeats answers of the list, or is a provider's note about the list. */
export function isRepetition(key: string, value: unknown, list: string): boolean {
  return REPETITIONS[list]?.test(key) === true || (key === 'message' && typeof value === 'string' && NOTE.test(value))
}
