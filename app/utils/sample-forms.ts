/** Typical forms of websites */
export const SAMPLES = [
  {
    name: 'Grace Hopper', email: 'grace@example.com', subject: 'Quote for 40 seats',
    message: 'Hello,\n\nwe are a team of 40 and would like to switch before the end of the quarter. Could you send a quote for annual billing?\n\nKind regards\nGrace',
  },
  {
    name: 'Alan Turing', email: 'alan@example.com', subject: 'Export stops at 1,000 rows',
    message: 'The CSV export ends after 1,000 rows without an error. Is that a limit, or a bug?',
  },
  {
    name: 'Win a prize!!!', email: 'noreply@prizes.example', subject: 'You have been SELECTED',
    message: 'Dear winner, reply with your bank details within 24 hours to claim $1,000,000.',
  },
]

/** Edge-case samples */
export function oddForms(): Readonly<Record<string, object>> {
  return {
    '100 fields': Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`field ${index + 1}`, `value ${index + 1}`]),
    ),
    'Hostile HTML': {
      'name': '<img src=x onerror=alert(1)>', '<b>key</b>': '"><script>alert(2)</script>',
      'message': '@everyone <!channel> **bold** [a link](https://evil.example) {{constructor}} <t:0:R>',
    },
    'Right to left': {
      الاسم: 'ليلى حداد', שם: 'דוד', message: 'مرحبا، أريد عرض سعر لعدد 40 مقعدًا (annual billing).',
      file: 'picture\u202Egpj.exe',
    },
    'Nested': {
      company: { name: 'Lovelace & Sons', address: { city: 'London', lines: ['12 St James’s Square', ''] } },
      order: [{ sku: 'AE-1', count: 2, tags: ['brass', 'steam'] }, { sku: 'AE-2', count: 1, tags: [] }],
      agreed: true, nothing: null,
    },
    'Empty': {},
  }
}
