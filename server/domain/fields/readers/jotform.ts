import type { SubmissionData } from '../../../ports/submission'
import { isObject } from '../../json'
import { isBesideAnswers } from '../machinery'
import { jsonOf, PARSED } from '../paths'
import { answerAt, type Reading } from '../answers'

/** Key of an answer, such as `q3_name` */
const QUESTION = /^q\d+_(.+)$/

/** Fields that Jotform adds to the answers; all other fields are answers. */
const ADDED = new Set([
  'action', 'webhookURL', 'username', 'formID', 'type', 'customParams', 'product', 'formTitle', 'customTitle',
  'customBody', 'submissionID', 'event', 'documentID', 'teamID', 'subject', 'isSilent', 'unread', 'parent', 'pretty',
  'ip', 'fromTable', 'appID',
])

/**
 * Reads a message of Jotform's webhook: the answers are JSON in the field `rawRequest`. Each key there has the number
 * and the name of a question. Null for anything else.
 *
 * https://www.jotform.com/help/245-how-to-setup-a-webhook-with-jotform/
 */
export function readJotform(data: SubmissionData): Reading | null {
  const request = jsonOf(data.rawRequest)
  const isJotform = isObject(request) && ['formID', 'submissionID'].every(key => Object.hasOwn(data, key))
  if (!isJotform) return null
  const entries = Object.entries(request).map(([key, value]) => {
    const name = QUESTION.exec(key)?.[1]
    // Lists without a number are the addresses of uploaded files.
    const isAnswer = name !== undefined || (Array.isArray(value) && !isBesideAnswers(key, value))
    return { answer: answerAt(['rawRequest', PARSED, key], name ?? key, value), isAnswer }
  })
  const outer = Object.entries(data).filter(([key]) => key !== 'rawRequest').map(([key, value]) => (
    { answer: answerAt([key], key, value), isAnswer: !ADDED.has(key) }
  ))
  const all = [...entries, ...outer]
  return {
    answers: all.filter(({ isAnswer }) => isAnswer).map(({ answer }) => answer),
    technical: all.filter(({ isAnswer }) => !isAnswer).map(({ answer }) => answer),
  }
}
