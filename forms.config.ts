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
 *     fields: { name: 'Name', email: 'Email address', message: 'Message' },
 *   },
 */
export default defineForms({})
