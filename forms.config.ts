import { defineForms } from './server/config/forms'

/**
 * Forms beside the default one, each at its own address: `contact` accepts forms at /api/form/contact.
 * Settings that a form omits come from the environment. Part of the build; a JSON file of the same shape, named by
 * FORMS_CONFIG, replaces it at the start.
 *
 *   contact: {
 *     name: 'Contact',
 *     channels: { slack: 'C0123456789' },
 *     to: ['sales@example.com'],
 *     endpoint: 'https://crm.example.com/hooks/contact',
 *     allowedOrigins: ['https://www.example.com'],
 *     fields: {
 *       name: 'Name', email: { label: 'Email address', type: 'email', required: true }, message: 'Message',
 *       cv: { label: 'Your CV', type: 'file' },
 *     },
 *     extra: 'refuse', // accepts no other fields
 *     files: { max: 5, maxBytes: '10 MB', types: ['image/png', 'application/pdf'], show: true }, // accepts these, and
 *     // shows small pictures on cards; chat platforms keep copies of them
 *     subject: 'Message of {name}', // of emails and cards
 *     redirect: 'https://www.example.com/thanks', // for browsers that sent the form without a script
 *     texts: { de: { thanks: 'Danke!' } }, // of the thank-you page, shown if there is no redirect
 *     reviewers: ['slack:U0123456789', 'slack:S0123456789', 'ops:ada'],
 *     claim: 'exclusive', // with TAKE: only the assignee can decide a taken submission
 *   },
 *
 * `people` is not a form: it lists which ids belong to one person, like PEOPLE in the environment.
 *
 *   people: { ada: ['slack:U0123456789', 'discord:123456789012345678', 'ops:ada'] },
 */
export default defineForms({})
