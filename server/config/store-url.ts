/** Returns the file that a URL such as `sqlite:/data/forms.db` names, or `:memory:`; null for other URLs. */
export function sqlitePath(url: string): string | null {
  return /^sqlite:(?:\/\/(?=\/))?(.*)$/.exec(url)?.[1] ?? null
}
