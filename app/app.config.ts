const FILLED = ['primary', 'success', 'warning', 'error'] as const

/** By itself a filled button that is pointed at is so pale that its text falls short of WCAG AA. */
const POINTED_AT = {
  primary: 'hover:bg-primary/90 active:bg-primary/90', success: 'hover:bg-success/90 active:bg-success/90',
  warning: 'hover:bg-warning/90 active:bg-warning/90', error: 'hover:bg-error/90 active:bg-error/90',
}

export default defineAppConfig({
  ui: {
    colors: { primary: 'indigo', neutral: 'zinc' },
    // A title does not run under the button that closes.
    modal: { slots: { wrapper: 'pe-8' } },
    // Muted text falls short of it on the grey of an avatar without a picture, and of tabs.
    tabs: { slots: { trigger: 'data-[state=inactive]:text-toned' } },
    // As the help writes keys, and as they are pressed: without Shift.
    kbd: { base: 'normal-case' },
    avatar: { variants: { color: { neutral: { fallback: 'text-toned' } } } },
    button: { compoundVariants: FILLED.map(color => ({ color, variant: 'solid' as const, class: POINTED_AT[color] })) },
  },
})
