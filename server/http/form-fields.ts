/** Collects what an HTML form sends; several values of one name become a list. */
export class FormFields {
  private readonly values = new Map<string, string[]>()

  add(name: string, value: string): void {
    const values = this.values.get(name)
    // A list that is copied for each of its values takes seconds for 50,000 of them.
    if (values) values.push(value)
    else this.values.set(name, [value])
  }

  toObject(): Record<string, string | string[]> {
    return Object.fromEntries(
      [...this.values].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
    )
  }
}
