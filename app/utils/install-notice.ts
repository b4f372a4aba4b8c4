export interface InstallNotice {
  color: 'success' | 'warning' | 'error'
  icon: string
  title: string
  description: string
}

const FAILURE_NOTICES = new Map<unknown, InstallNotice>(Object.entries<InstallNotice>({
  cancelled: {
    color: 'warning', icon: 'i-lucide-triangle-alert', title: 'The app was not installed',
    description: 'Somebody cancelled in Slack, or is not allowed to install apps there. Nothing has changed.',
  },
  expired: {
    color: 'warning', icon: 'i-lucide-triangle-alert', title: 'The app was not installed',
    description: 'That installation was begun in another browser, more than 10 minutes ago, or is done already. Begin again.',
  },
  failed: {
    color: 'error', icon: 'i-lucide-circle-x', title: 'The app was not installed',
    description: 'Slack refused, or did not answer; the log says why. Check SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, and begin again.',
  },
}))

/**
 * Returns the result of installing the Slack app into another workspace. Anybody can forge the address, so only a
 * workspace id from it is shown.
 */
export function installNotice({ install, workspace }: Record<string, unknown>): InstallNotice | null {
  if (install !== 'done') return FAILURE_NOTICES.get(install) ?? null
  if (typeof workspace !== 'string' || !/^[TE][A-Z0-9]{4,20}$/.test(workspace)) return null
  return {
    color: 'success', icon: 'i-lucide-circle-check', title: `The app is installed in the workspace ${workspace}`,
    description: `The bot answers there from now on. For cards, invite it to a channel and name that in a form of \
forms.config.ts: channels: { slack: '${workspace}:C0123456789' }`,
  }
}
