import { defineForms } from './server/config/forms'

/**
 * Forms beside the default one, each at its own address: `contact` takes forms at /api/form/contact.
 * What a form does not say is as the environment says. Built in; a JSON file of the same shape, named by FORMS_CONFIG,
 * replaces it at the start.
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
 *     extra: 'refuse', // takes no other fields
 *     files: { max: 5, maxBytes: '10 MB', types: ['image/png', 'application/pdf'], show: true }, // takes these, and
 *     // shows small pictures on cards, of which chat platforms keep copies
 *     subject: 'Message of {name}', // of emails and cards
 *     redirect: 'https://www.example.com/thanks', // for browsers that sent it without a script
 *     texts: { de: { thanks: 'Danke!' } }, // of the page that thanks, where there is no redirect
 *     reviewers: ['slack:U0123456789', 'slack:S0123456789', 'ops:ada'],
 *     claim: 'exclusive', // with TAKE: only who has one decides it
 *   },
 *
 * `people` is no form: it says which ids are one person, as PEOPLE does in the environment.
 *
 *   people: { ada: ['slack:U0123456789', 'discord:123456789012345678', 'ops:ada'] },
 */
export default defineForms({})
