const FILLED_COLORS = ['primary', 'success', 'warning', 'error'] as const

/** Darker hover colours than the defaults, whose text contrast fails WCAG AA. */
const HOVER_CLASSES = {
  primary: 'hover:bg-primary/90 active:bg-primary/90', success: 'hover:bg-success/90 active:bg-success/90',
  warning: 'hover:bg-warning/90 active:bg-warning/90', error: 'hover:bg-error/90 active:bg-error/90',
}

/** Wraps long labels; by default they are cut, for example with large letters on a phone. */
const WRAPPING_LABEL = { label: 'whitespace-normal wrap-break-word' }

export default defineAppConfig({
  ui: {
    colors: { primary: 'indigo', neutral: 'zinc' },
    // A title does not run under the close button. In a low window the whole dialog scrolls: by default its text is
    // squeezed and cut to make room for the buttons.
    modal: { slots: {
      wrapper: 'pe-8', footer: 'flex-wrap', content: 'overflow-y-auto!', header: 'shrink-0',
      body: '[@media(height<30rem)]:flex-none',
    } },
    // Muted text is too pale for WCAG AA on the grey of tabs and of avatars without a picture. Below 20rem letters are
    // large or the phone is narrow: no room for icons beside them.
    tabs: { slots: {
      trigger: 'data-[state=inactive]:text-toned max-[20rem]:px-1', leadingIcon: 'max-[20rem]:hidden',
      ...WRAPPING_LABEL,
    } },
    // Show keys in lower case, as in the help: they are pressed without Shift.
    kbd: { base: 'normal-case' },
    avatar: { variants: { color: { neutral: { fallback: 'text-toned' } } } },
    // In rem: the default of 10 px ignores the font size that is set in the browser.
    badge: { slots: WRAPPING_LABEL, variants: { size: { sm: { base: 'text-[0.625rem]/3' } } } },
    button: {
      slots: WRAPPING_LABEL,
      compoundVariants: FILLED_COLORS.map(color => ({ color, variant: 'solid' as const, class: HOVER_CLASSES[color] })),
    },
  },
})
