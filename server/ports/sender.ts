/** Who sends a form, by the head of the request. */
export interface Sender {
  /** IP address, when known. */
  address?: string
  /** Who is counted as one: an IPv4 address, or the IPv6 network that one customer gets. */
  group: string
  /** Whom an idempotency key belongs to: clients that use the same key by chance or by malice do not meet. */
  client: string
  /** Showed the key of this service: a program that we know, and that no human check lets through. */
  trusted: boolean
  /** The body may bring files. */
  hasFiles: boolean
  /** What the sender calls this form, so that sending it again is no second form. */
  idempotencyKey?: string
}
