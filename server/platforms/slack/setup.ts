import type { SetupStep } from '../../../shared/types/setup'
import type { SlackSettings } from './client'
import { createAppLink, slackManifest } from './manifest'

const APPS = { label: 'Your Slack apps', to: 'https://api.slack.com/apps' }
const APP_TOKEN_STEP = 'In Basic Information → App-Level Tokens, generate a token with the scope connections:write, and set CHAT_APP_TOKEN to it.'

/** Returns the manifest that these settings need; null if it needs the public URL. */
export function manifestFor(
  siteUrl: string | null, settings: SlackSettings | undefined, variant: { files?: boolean, agent?: boolean } = {},
): object | null {
  const socket = settings?.appToken !== undefined
  if (siteUrl === null && !socket) return null
  const { oauth, groups = false } = settings ?? {}
  return slackManifest(siteUrl, { ...variant, oauth: oauth !== undefined, groups, socket })
}

/** Returns the steps for the set-up page. */
export function setupSteps(siteUrl: string | null, settings: SlackSettings | undefined): SetupStep[] {
  const manifest = manifestFor(siteUrl, settings)
  const isSocket = settings?.appToken !== undefined
  return [
    manifest
      ? {
          text: `Create the app from this manifest; it has the scopes, events and ${isSocket ? 'Socket Mode' : 'addresses'} of this deployment filled in.`,
          link: { label: 'Create the Slack app', to: createAppLink(manifest) },
          code: { label: 'slack-manifest.json', text: JSON.stringify(manifest, null, 2) },
        }
      : {
          text: 'Set NUXT_PUBLIC_SITE_URL to the public URL of this service and restart; the manifest of the app then stands here.',
        },
    ...settings === undefined
      ? [{
          text: `Or let the bot call Slack, which needs no public URL: create the app with Socket Mode. ${APP_TOKEN_STEP} CHAT_SIGNING_SECRET is then not needed.`,
          link: {
            label: 'Create the Slack app with Socket Mode', to: createAppLink(slackManifest(null, { socket: true })),
          },
        }]
      : [],
    ...isSocket ? [{ text: APP_TOKEN_STEP }] : [],
    {
      text: `Install it to your workspace. Set CHAT_BOT_TOKEN to the Bot User OAuth Token${isSocket ? '.' : ', and CHAT_SIGNING_SECRET to the Signing Secret of Basic Information.'}`,
      link: APPS,
    },
    {
      text: 'Invite the bot to the channel of your team (/invite @form-bot). Set CHAT_CHANNEL_ID to the id at the end of the channel\'s About tab.',
    },
    {
      text: isSocket
        ? 'Restart. The status page says when the socket is connected.'
        : 'Restart. If Slack could not verify the URL before, press Retry under Event Subscriptions now.',
    },
    ...settings?.oauth
      ? [{
          text: 'Install the app in other workspaces, too; each time somebody who may do so there has to agree.',
          link: { label: 'Add to another workspace', to: '/api/slack/install' },
        }]
      : [],
  ]
}
