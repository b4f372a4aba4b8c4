/**
 * Values of each text in `locales/en.json`. Written by
 * `LOCALES=write npx vitest run test/unit/shared/texts.test.ts`.
 */
export interface TextValues {
  'visitor.thanks': never
  'visitor.received': never
  'visitor.reference': never
  'visitor.back': 'site'
  'visitor.problem': never
  'visitor.nothingLost': never
  'visitor.later': 'seconds'
  'visitor.human': never
  'visitor.large': never
  'visitor.files': never
  'visitor.filesLarge': never
  'visitor.fileType': never
  'visitor.unreadable': never
  'visitor.refused': never
  'visitor.broken': never
  'visitor.owner': never
  'visitor.fields': never
  'visitor.send': never
  'visitor.trap': never
  'visitor.optional': never
  'visitor.attach': never
  'field.required': never
  'field.unknown': never
  'field.text': never
  'field.email': never
  'field.url': never
  'field.tel': never
  'field.number': never
  'field.integer': never
  'field.checkbox': never
  'field.date': never
  'field.select': never
  'field.file': never
  'field.tooShort': 'limit'
  'field.tooLong': 'limit'
  'field.tooLow': 'limit'
  'field.tooHigh': 'limit'
}
