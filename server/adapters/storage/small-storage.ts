import type { Storage } from 'unstorage'

/** unstorage, with the one step that it lacks. Values are JSON, except the id of the store. */
export interface SmallStorage extends Storage {
  /** Replaces a text if it is still `before`; null stands for no value. Resolves with false if it is another one. */
  swap(key: string, before: string | null, after: string | null): Promise<boolean>
}

/** Changes a text in one step, over all processes. Resolves with the text before. */
export async function change(
  storage: SmallStorage, key: string, next: (before: string | null) => string | null,
): Promise<string | null> {
  for (;;) {
    const before = await storage.getItemRaw<string>(key)
    const after = next(before)
    if (after === before || await storage.swap(key, before, after)) return before
  }
}

/** Makes any text one part of a key. unstorage refuses `.` and `..`, and changes `/`, `\`, `?` and `::`. */
export const keyPart = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E')
