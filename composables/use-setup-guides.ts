/** What GET /api/setup answers. */
export interface Setup {
  /** Public URL of this deployment, without a trailing slash. */
  siteUrl: string | null
  config: ConfigArea[]
  /** `app` needs the public URL; `installUrl` puts it into another workspace and is null when that is off. */
  slack: { app: { manifest: string, createUrl: string } | null, installUrl: string | null }
  /** Null until the application id is set. */
  discordInviteUrl: string | null
}

interface SetupStep {
  text: string
  /** Opens in a new tab. */
  link?: { label: string, to: string }
  /** Something to copy. */
  code?: { label: string, text: string }
}

export interface SetupGuide {
  key: string
  label: string
  icon: string
  about: string
  /** Without all of these it is not on. */
  required: string[]
  /** In the order in which they are done. */
  steps: SetupStep[]
}

const SLACK_APPS = 'https://api.slack.com/apps'
const DISCORD_APPS = 'https://discord.com/developers/applications'

/** How each part is set up for this deployment, step by step. */
export function setupGuides({ siteUrl: knownUrl, slack, discordInviteUrl }: Setup): SetupGuide[] {
  const siteUrl = knownUrl ?? 'https://<your host>'
  return [
    {
      key: 'slack', label: 'Slack', icon: 'i-lucide-slack', about: 'Cards, buttons and edit forms in a Slack channel.',
      required: ['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID'],
      steps: [
        slack.app
          ? { text: 'Create the app from this manifest; it has the scopes, events and addresses of this deployment filled in.', link: { label: 'Create the Slack app', to: slack.app.createUrl }, code: { label: 'slack-manifest.json', text: slack.app.manifest } }
          : { text: 'Set NUXT_PUBLIC_SITE_URL to the public URL of this service and restart; the manifest of the app then stands here.' },
        { text: 'Install it to your workspace. Set CHAT_BOT_TOKEN to the Bot User OAuth Token, and CHAT_SIGNING_SECRET to the Signing Secret of Basic Information.', link: { label: 'Your Slack apps', to: SLACK_APPS } },
        { text: 'Invite the bot to the channel of your team (/invite @form-bot). Set CHAT_CHANNEL_ID to the id at the end of the channel\'s About tab.' },
        { text: 'Restart. Slack verifies the address of the events by itself.' },
        ...slack.installUrl ? [{ text: 'Install the app in other workspaces, too; each time somebody who may do so there has to agree.', link: { label: 'Add to another workspace', to: slack.installUrl } }] : [],
      ],
    },
    {
      key: 'discord', label: 'Discord', icon: 'i-lucide-gamepad-2', about: 'The same cards in a Discord channel, beside Slack or instead of it.',
      required: ['PLATFORM2_BOT_TOKEN', 'PLATFORM2_PUBLIC_KEY', 'PLATFORM2_APPLICATION_ID', 'DISCORD_CHANNEL_ID'],
      steps: [
        { text: 'Create an application. Set PLATFORM2_APPLICATION_ID and PLATFORM2_PUBLIC_KEY from General Information, PLATFORM2_BOT_TOKEN from Bot → Reset Token, and switch the Message Content Intent on there.', link: { label: 'Discord applications', to: DISCORD_APPS } },
        discordInviteUrl
          ? { text: 'Invite the bot to your server with the permissions that it needs.', link: { label: 'Invite the bot', to: discordInviteUrl } }
          : { text: 'Set PLATFORM2_APPLICATION_ID; the link that invites the bot to your server then stands here.' },
        { text: 'Set DISCORD_CHANNEL_ID (developer mode → right-click the channel → Copy Channel ID) and restart.' },
        { text: 'Now enter this address as Interactions Endpoint URL in General Information: Discord checks at once that it answers.', code: { label: 'Interactions Endpoint URL', text: `${siteUrl}/api/webhooks/discord` } },
      ],
    },
    {
      key: 'teams', label: 'Teams', icon: 'i-lucide-users', about: 'The same cards in a Teams channel, with a native edit dialog.',
      required: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD', 'TEAMS_CHANNEL_ID'],
      steps: [
        { text: 'Create a bot with this endpoint and a client secret. Set TEAMS_APP_ID and TEAMS_APP_PASSWORD, and TEAMS_APP_TENANT_ID unless the bot is multi-tenant.', link: { label: 'Teams developer portal', to: 'https://dev.teams.microsoft.com/tools' }, code: { label: 'Bot endpoint', text: `${siteUrl}/api/webhooks/teams` } },
        { text: 'Create an app with that bot in the scope Team, and add it to the team of your channel.' },
        { text: 'Copy the channel\'s link: the part after /channel/, decoded, is TEAMS_CHANNEL_ID (19:…@thread.tacv2). Restart.' },
      ],
    },
    {
      key: 'gchat', label: 'Google Chat', icon: 'i-lucide-message-circle', about: 'The same cards in a Google Chat space; editing opens the submission here.',
      required: ['GOOGLE_CHAT_CREDENTIALS', 'GOOGLE_CHAT_PROJECT_NUMBER', 'GOOGLE_CHAT_SPACE'],
      steps: [
        { text: 'Enable the Google Chat API and create a service account with a JSON key. Set GOOGLE_CHAT_CREDENTIALS to the JSON on one line, and GOOGLE_CHAT_PROJECT_NUMBER.', link: { label: 'Google Cloud console', to: 'https://console.cloud.google.com/apis/library/chat.googleapis.com' } },
        { text: 'Under Configuration, switch on interactive features and joining spaces, with this HTTP endpoint URL for all triggers.', code: { label: 'HTTP endpoint URL', text: `${siteUrl}/api/webhooks/gchat` } },
        { text: 'Add the app to the space. The part of its address after #chat/space/ is its id: set GOOGLE_CHAT_SPACE to spaces/ and that id. Restart.' },
      ],
    },
    {
      key: 'telegram', label: 'Telegram', icon: 'i-lucide-send', about: 'The same cards in a Telegram group; editing opens the submission here.',
      required: ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET_TOKEN', 'TELEGRAM_CHAT_ID'],
      steps: [
        { text: 'Ask BotFather for a bot, and add it to your group. Set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID, and TELEGRAM_WEBHOOK_SECRET_TOKEN to something random (openssl rand -hex 32).', link: { label: 'BotFather', to: 'https://t.me/BotFather' } },
        { text: 'Tell Telegram where the service is, and restart.', code: { label: 'setWebhook', text: `curl "https://api.telegram.org/bot$TELEGRAM_BOT_TOKEN/setWebhook" \\\n  -d "url=${siteUrl}/api/webhooks/telegram" \\\n  -d "secret_token=$TELEGRAM_WEBHOOK_SECRET_TOKEN" \\\n  -d 'allowed_updates=["message","callback_query"]'` } },
      ],
    },
    {
      key: 'email', label: 'Email', icon: 'i-lucide-mail', about: 'Forwarded submissions go out through Resend.',
      required: ['MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'],
      steps: [
        { text: 'Verify the domain that you send from.', link: { label: 'Resend domains', to: 'https://resend.com/domains' } },
        { text: 'Create an API key and set MAIL_API_KEY to it, MAIL_FROM_ADDRESS to an address on that domain, and FORWARD_EMAIL to where forwarded submissions go.', link: { label: 'Resend API keys', to: 'https://resend.com/api-keys' } },
      ],
    },
    {
      key: 'store', label: 'Store', icon: 'i-lucide-database', about: 'Redis or Valkey keeps the submissions; production needs it.',
      required: ['STORE_URL'],
      steps: [{ text: 'Set STORE_URL, for example to redis://localhost:6379, and let Redis keep its data on disk (appendonly yes).' }],
    },
    {
      key: 'website', label: 'Your website', icon: 'i-lucide-globe', about: 'Any JSON or HTML form, from any page or server.',
      required: [],
      steps: [{ text: 'Send forms to this address. FORM_ALLOWED_ORIGINS and FORM_API_KEY limit who may.', code: { label: 'curl', text: `curl ${siteUrl}/api/form \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Ada Lovelace","message":"Hello"}'` } }],
    },
  ]
}
