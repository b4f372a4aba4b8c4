/** Names of a delivery for people */
export interface DeliveryTexts {
  /** Name on cards and pages; in lower case inside a sentence. */
  label: string
  /** Name of its receiver, at the start of a sentence. */
  receiver: string
  /** Thing that the receiver gets. */
  item: string
}

/** Texts of all deliveries, by key */
export const DELIVERY_TEXTS = {
  email: { label: 'Email', receiver: 'The email provider', item: 'email' },
  endpoint: { label: 'Endpoint', receiver: 'The endpoint', item: 'form' },
  channel: { label: 'Channel copy', receiver: 'The chat platform', item: 'copy' },
} as const satisfies Record<string, DeliveryTexts>
