import type { H3Event } from 'h3'
import { escapeHtml } from '../../shared/utils/text'
import { sendPage, type Page } from './page'

const STYLE = `
main { text-align: center }
svg { width: 3.5rem; height: 3.5rem; padding: .8rem; border-radius: 50%; fill: none; stroke: currentColor;
  stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
.good { color: var(--good); background: var(--good-soft) }
.bad { color: var(--bad); background: var(--bad-soft) }
`

const ICONS = {
  good: '<path d="M5 12.5 10 17.5 19 7"/>',
  bad: '<path d="M12 6v7.5M12 17.5v.01"/>',
}

export interface Notice extends Pick<Page, 'language' | 'title' | 'frames'> {
  icon: keyof typeof ICONS
  /** HTML, below the title. */
  content: readonly string[]
}

/** A page that tells one thing. */
export function sendNotice(event: H3Event, { icon, content, title, ...page }: Notice): string {
  return sendPage(event, {
    ...page, title, style: STYLE,
    body: `<main>
<svg class="${icon}" viewBox="0 0 24 24" aria-hidden="true">${ICONS[icon]}</svg>
<h1>${escapeHtml(title)}</h1>
${content.filter(Boolean).join('\n')}
</main>`,
  })
}
