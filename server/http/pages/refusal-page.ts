import { getRequestHeader, type H3Event } from 'h3'
import { escapeHtml } from '../../../shared/utils/text'
import type { ErrorBody } from '../errors'
import { prefersHtml } from '../request'

/** Shows why something cannot be opened: as a page to people who followed a link, as JSON to programs. */
export async function showRefusal(event: H3Event, refusal: ErrorBody, title: string): Promise<string | ErrorBody> {
  if (!prefersHtml(getRequestHeader(event, 'accept') ?? '')) return refusal
  const { sendNotice } = await import('./form-pages')
  return sendNotice(event, { language: 'en', title, icon: 'bad', content: [`<p>${escapeHtml(refusal.error)}</p>`] })
}
