import type { StoredFile } from '../ports/files'

/**
 * Headers of a served file. Browsers save any content and run none of it, because the file is not a page of this site.
 * Only our own pages can show it as a picture.
 */
export function fileHeaders({ name, type, size }: StoredFile): Record<string, string> {
  // The first name is plain ASCII; only the second one may contain special characters (RFC 6266, 4.3).
  const asciiName = name.replaceAll(/[^ \w.()+-]/g, '_')
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'Content-Length': String(size),
    'Content-Disposition': `attachment; filename="${asciiName}"; filename*=UTF-8''${encodeName(name)}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'default-src \'none\'; sandbox',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'private, no-store',
  }
}

/** RFC 8187, 3.2.1. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*!]/g, char => (
    `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  ))
}
