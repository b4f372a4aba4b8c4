import type { FileDetails } from '../../../shared/types/submissions'
import { english, formatNumber, type Texts } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { CardLink, CardPicture } from '../../ports/board'
import type { FileAddresses, StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Field, Submission } from '../../ports/submission'

/** Raster images that every browser shows. */
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

/** Max size of a picture shown without a click, bytes */
const MAX_SHOWN_BYTES = 2 * 2 ** 20

/** Picture types that every platform can show on cards, and the max size, bytes: Teams accepts 1 MB. */
const CARD_PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif']
const MAX_CARD_PICTURE_BYTES = 10 ** 6

/** `10 MB`, `1.4 MB`, `87 KB` or `70 bytes`. */
export function megabytes(bytes: number, texts = english): string {
  if (bytes < 2 ** 10) return texts('card.file.bytes', { count: bytes })
  const [unit, size] = bytes < 2 ** 20 ? ['KB', bytes / 2 ** 10] : ['MB', bytes / 2 ** 20]
  if (size >= 10 || Number.isInteger(size)) return `${Math.ceil(size)} ${unit}`
  return `${texts.language === 'en' ? size.toFixed(1) : formatNumber(Number(size.toFixed(1)), texts.language)} ${unit}`
}

/** Text for people: `cv.pdf (application/pdf, 1.4 MB)`. */
function fileText({ name, type, size }: StoredFile, texts: Texts): string {
  return `${visible(name)} (${type}, ${megabytes(size, texts)})`
}

/** Returns the files as fields of cards and emails, with the labels of their form fields. */
export function fileFields(
  { envelope }: Submission, { labels }: Pick<Form, 'labels'>, texts = english,
): Field[] {
  return (envelope?.files ?? []).map(file => ({
    label: Object.hasOwn(labels, file.field) ? labels[file.field]! : visible(file.field.toWellFormed()),
    value: fileText(file, texts), edited: false,
  }))
}

/** Returns the files of the form field with this key or label. */
export function filesNamed(
  name: string, { envelope }: Submission, { labels }: Pick<Form, 'labels'>,
): readonly StoredFile[] {
  return (envelope?.files ?? []).filter(
    ({ field }) => field === name || (Object.hasOwn(labels, field) && labels[field] === name),
  )
}

/** Returns the links from a card to its files. File names are only in the fields, because fields are escaped. */
export function fileLinks(
  { id, envelope, decision }: Submission, texts: Texts, addresses?: FileAddresses,
): { links?: readonly CardLink[] } {
  const { files = [] } = decision?.action === 'spam' ? {} : envelope ?? {}
  const links = files.flatMap(({ type, size }, index) => {
    const url = addresses?.url(id, index) ?? null
    if (url === null) return []
    const facts = { type, size: megabytes(size, texts) }
    const label = files.length > 1
      ? texts('card.file.openNumbered', { number: index + 1, ...facts })
      : texts('card.file.open', facts)
    return [{ label, url }]
  })
  return links.length > 0 ? { links } : {}
}

/**
 * Returns the pictures on a card, if its form shows them. Only before the decision: after it the files may be erased at
 * any time, and a decided card must not show broken pictures.
 */
export function filePictures(
  { id, envelope, decision }: Submission, { files: rule }: Form, texts: Texts, addresses?: FileAddresses,
): { pictures?: readonly CardPicture[] } {
  if (!rule?.show || decision) return {}
  const pictures = (envelope?.files ?? []).flatMap(({ type, size }, index) => {
    const url = CARD_PICTURE_TYPES.includes(type) && size <= MAX_CARD_PICTURE_BYTES
      ? addresses?.url(id, index) ?? null
      : null
    return url === null ? [] : [{ url, alt: texts('card.file.picture', { number: index + 1 }) }]
  })
  return pictures.length > 0 ? { pictures } : {}
}

/** Returns the files for the web pages. */
export function fileDetails(
  submission: Submission, form: Form, addresses?: FileAddresses,
): FileDetails[] {
  const labels = fileFields(submission, form)
  return (submission.envelope?.files ?? []).map(({ name, type, size }, index) => ({
    label: labels[index]!.label, name: visible(name), type, size: megabytes(size),
    url: addresses?.path(submission.id, index) ?? null,
    isPicture: PICTURE_TYPES.includes(type) && size <= MAX_SHOWN_BYTES,
  }))
}
