const FILLED = ['primary', 'success', 'warning', 'error'] as const

/** By itself a filled button that is pointed at is so pale that its text falls short of WCAG AA. */
const POINTED_AT = {
  primary: 'hover:bg-primary/90 active:bg-primary/90', success: 'hover:bg-success/90 active:bg-success/90',
  warning: 'hover:bg-warning/90 active:bg-warning/90', error: 'hover:bg-error/90 active:bg-error/90',
}

/** By itself a label is cut where it does not fit, as with large letters on a phone. */
const WRAPS = { label: 'whitespace-normal wrap-break-word' }

export default defineAppConfig({
  ui: {
    colors: { primary: 'indigo', neutral: 'zinc' },
    // A title does not run under the button that closes. In a low window all of a dialog scrolls: by itself its words
    // are squeezed, and cut, to leave its buttons their room.
    modal: { slots: {
      wrapper: 'pe-8', footer: 'flex-wrap', content: 'overflow-y-auto!', header: 'shrink-0',
      body: '[@media(height<30rem)]:flex-none',
    } },
    // Muted text falls short of it on the grey of an avatar without a picture, and of tabs.
    // Below 20rem letters are large, and every phone too narrow for icons beside them.
    tabs: { slots: {
      trigger: 'data-[state=inactive]:text-toned max-[20rem]:px-1', leadingIcon: 'max-[20rem]:hidden', ...WRAPS,
    } },
    // As the help writes keys, and as they are pressed: without Shift.
    kbd: { base: 'normal-case' },
    avatar: { variants: { color: { neutral: { fallback: 'text-toned' } } } },
    // By itself its letters are 10 px, whatever is set in the browser.
    badge: { slots: WRAPS, variants: { size: { sm: { base: 'text-[0.625rem]/3' } } } },
    button: {
      slots: WRAPS,
      compoundVariants: FILLED.map(color => ({ color, variant: 'solid' as const, class: POINTED_AT[color] })),
    },
  },
})
