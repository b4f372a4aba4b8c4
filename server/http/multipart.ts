/**
 * A multipart body as the web platform's parser reads it: a quote within the name of a field or file as `%22`.
 *
 * Browsers and recent versions of curl write it so, and a backslash as it is (https://html.spec.whatwg.org/#multipart-form-data).
 * Older ones of curl, and its --form-escape, write `\"`, and then `\\` for a backslash.
 */
export function withPlainNames(body: Buffer<ArrayBuffer>, contentType: string): Buffer<ArrayBuffer> {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? token
  if (!boundary || !body.includes('\\"')) return body
  // Byte for byte: `latin1` keeps whatever encoding the parts are in.
  const head = new RegExp(`((?:^|\\r\\n)--${boundary.replaceAll(/\W/g, '\\$&')}\\r\\n)((?:[^\\r\\n]+\\r\\n)+)`, 'g')
  return Buffer.from(body.toString('latin1').replace(head, (_, delimiter: string, lines: string) => delimiter + lines.replaceAll(/^content-disposition:.*$/gim, unescaped)), 'latin1')
}

const QUOTED = /"((?:\\.|[^"\\])*)"/g

/** One that reads well without escapes is left as it is: `name="C:\"` ends where it says. */
function unescaped(line: string): string {
  if (/^[^"]*(?:;\s*\w+\*?="[^"]*"\s*)+$/i.test(line)) return line
  return line.replaceAll(QUOTED, (_, text: string) => `"${text.replaceAll(/\\(.)/g, '$1').replaceAll('"', '%22')}"`)
}
