import type { StoredFile } from '../ports/files'

/**
 * What a file is served with. A browser saves it, whatever is in it, and runs nothing: it is no page of this site, and
 * a picture is shown only where a page of ours has it.
 */
export function fileHeaders({ name, type, size }: StoredFile): Record<string, string> {
  // What is no ASCII, or means something in a header, is in the second name alone (RFC 6266, 4.3).
  const plain = name.replaceAll(/[^ \w.()+-]/g, '_')
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Length': String(size),
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'default-src \'none\'; sandbox',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'private, no-store',
  }
}

/** RFC 8187, 3.2.1. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*!]/g, char => (
    `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  ))
}
