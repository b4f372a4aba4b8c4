/** Result of a setup test, for display */
export interface TestShown {
  color: 'success' | 'error' | 'neutral' | 'warning'
  icon: string
  title: string
  description?: string
}

/** Setup steps of each part for this deployment */
export function setupGuides({ siteUrl: configuredUrl, platforms, config }: Setup): SetupGuide[] {
  const siteUrl = configuredUrl ?? 'https://<your host>'
  const usesSmtp = config.some(({ variables }) => variables.some(({ name, set }) => name === 'SMTP_URL' && set))
  return [
    ...platforms,
    {
      key: 'email', label: 'Email', icon: 'i-lucide-mail', about: usesSmtp
        ? 'Forwarded submissions go out through your SMTP server. Receipts: not with SMTP.'
        : 'Forwarded submissions go out through Resend, or through any mail server.',
      required: [usesSmtp ? 'SMTP_URL' : 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'],
      steps: [OWN_SERVER, ...usesSmtp ? [] : resendSteps(siteUrl)],
    },
    {
      key: 'store', label: 'Store', icon: 'i-lucide-database',
      about: 'A file, or Redis or Valkey, keeps the submissions; production needs one of them.',
      required: ['STORE_URL'],
      steps: [
        {
          text: 'Set STORE_URL: for one process to a file on a disk that stays, for example sqlite:/data/forms.db; for several to a Redis, for example redis://localhost:6379, which keeps its data on disk (appendonly yes).',
        },
      ],
    },
    {
      key: 'website', label: 'Your website', icon: 'i-lucide-globe',
      about: 'Any JSON or HTML form, from any page or server.',
      required: [],
      steps: [
        {
          text: 'Send forms to this address. FORM_ALLOWED_ORIGINS and FORM_API_KEY limit who may send.',
          code: {
            label: 'curl',
            text: `curl ${configuredUrl ?? location.origin}/api/form \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Ada Lovelace","message":"Hello"}'`,
          },
        },
      ],
    },
  ]
}

const OWN_SERVER = {
  text: 'To use a mail server of your own, set SMTP_URL, MAIL_FROM_ADDRESS to an address for which it sends, and FORWARD_EMAIL to where forwarded submissions go.',
  code: { label: 'SMTP_URL', text: 'smtp://user:password@mail.example.com:587' },
}

function resendSteps(siteUrl: string): SetupGuide['steps'] {
  return [
    { text: 'With Resend: verify the domain that you send from.', link: {
      label: 'Resend domains', to: 'https://resend.com/domains',
    } },
    {
      text: 'Create an API key and set MAIL_API_KEY to it, MAIL_FROM_ADDRESS to an address on that domain, and FORWARD_EMAIL to where forwarded submissions go.',
      link: { label: 'Resend API keys', to: 'https://resend.com/api-keys' },
    },
    {
      text: 'For cards that say whether the email arrived, and offer to send it again when it did not: add a webhook with all events of emails, and set MAIL_WEBHOOK_SECRET to its signing secret.',
      link: { label: 'Resend webhooks', to: 'https://resend.com/webhooks' },
      code: { label: 'Endpoint URL', text: `${siteUrl}/api/mail/events` },
    },
  ]
}
