/** HTML floating-point numbers, slightly relaxed: https://html.spec.whatwg.org/#valid-floating-point-number */
const NUMBER = /^(?:\+|(-)?)(?=\.?\d)(\d{0,400})(?:\.(\d{0,400}))?(e[+-]?\d{1,4})?$/i

/** A whole number in JSON, of any size. */
const WHOLE = /^-?\d+(?:\.0*)?(?:e\+?\d+)?$/i

/** Numbers whose digits are grouped: at least 5 digits, so no years; at most 40: BigInt needs quadratic time. */
const LONG_NUMBER = /^(-?\d{5,40})(\.\d+)?$/

/** Returns the number as JSON, with every digit; undefined if the text is not a number. */
export function numberJson(text: string): string | undefined {
  const number = NUMBER.exec(text)
  if (!number) return undefined
  const [, sign = '', whole = '', fraction, exponent = ''] = number
  return `${sign}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction ? `.${fraction}` : ''}${exponent}`
}

/** True for a whole number, `1.5e1` too. Other notations must be safe integers: JavaScript rounds long fractions. */
export function isWhole(json: string): boolean {
  return WHOLE.test(json) || Number.isSafeInteger(Number(json))
}

/** Returns `12,000` for `12000` in English; numbers keep every digit that was sent. */
export function groupDigits(text: string, language = 'en'): string {
  const [, whole, fraction = ''] = LONG_NUMBER.exec(text) ?? []
  if (!whole) return text
  const point = fraction && language !== 'en' ? (0.5).toLocaleString(language).replace(/\d/g, '') : '.'
  return BigInt(whole).toLocaleString(language) + fraction.replace('.', point)
}
