/** https://core.telegram.org/bots/api#making-requests */
export const answer = (result: unknown): Response => Response.json({ ok: true, result })

export function refuse(code: number, description: string): Response {
  return Response.json({ ok: false, error_code: code, description }, { status: code })
}
