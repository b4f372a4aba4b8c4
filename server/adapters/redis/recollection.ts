/** About half a megabyte: as many as wait at most teams. */
const MOST = 500

/** Records of submissions as this process stored them last, which saves reading them. No form data. */
export class Recollection {
  private readonly records = new Map<string, string>()

  /** @param record null for what is not worth it any more */
  keep(id: string, record: string | null): void {
    this.records.delete(id)
    if (record === null) return
    this.records.set(id, record)
    if (this.records.size > MOST) this.records.delete(this.records.keys().next().value!)
  }

  of(id: string): string | null {
    return this.records.get(id) ?? null
  }
}
