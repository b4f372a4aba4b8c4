/** Matches the start of a file that a form sends as text, with its type: https://www.rfc-editor.org/rfc/rfc2397 */
export const DATA_URL = /^data:(image\/)?(?:[a-z]+\/)?([a-z\d.+-]+)(?:;[a-z\d=._-]+)*;base64,/i

/** Max length of the part that `DATA_URL` matches, in characters */
export const DATA_URL_START = 200

/** True for a file that came as a text, such as the picture of a signature. */
export function isDataUrl(value: unknown): boolean {
  return typeof value === 'string' && DATA_URL.test(value.slice(0, DATA_URL_START))
}
