/** Every file of `locales/`, by language; see `build/locales.ts`. */
declare module '#locales' {
  type English = typeof import('../locales/en.json')
  /** English texts replace those that are missing. */
  type PartialTexts<Place> = {
    readonly [Key in keyof Place]?: Place[Key] extends string ? string : PartialTexts<Place[Key]>
  }
  const locales: Readonly<Record<string, PartialTexts<English>>> & { en: English }
  export default locales
}
