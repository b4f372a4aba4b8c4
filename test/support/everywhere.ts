import type { Definition } from '../../server/platforms/platform'
import { outside } from '../../server/platforms/registry'
import { deploy, emailsAbout, submitForm } from './deployment'
import { startDiscord } from './discord/discord'
import { startGoogleChat } from './gchat'
import { endAfterAll, formsFile } from './lifetime'
import { repointed } from './preloaded'
import type { Slack } from './slack'
import { talksOn } from './talks'
import { startTeams } from './teams'
import { startTelegram } from './telegram'
import { triesOn } from './unlisted'
import { PASSWORD, visit } from './visitor'
import { startWhatsApp } from './whatsapp'

/** All platforms that are not embedded, by key */
export const PLATFORMS: Readonly<Record<string, Definition>> = Object.fromEntries(outside.map(each => [each.key, each]))

/** Returns the environment and the forms of a deployment; `ada` are Ada Lovelace's ids on all platforms. */
type Settings = (ada: readonly string[], slack: Slack) => { env?: Record<string, string>, forms?: object }

/** Starts a deployment with all platforms and simulated users, for all tests of a file. */
export async function deployEverywhere(settings: Settings = () => ({})) {
  const [discord, telegram, teams, google, whatsapp] = await Promise.all([
    startDiscord(), startTelegram(), startTeams(), startGoogleChat(), startWhatsApp(),
  ])
  const doubles = { discord, telegram, teams, google, whatsapp }
  Object.values(doubles).forEach(endAfterAll)
  const d = endAfterAll(await deploy((slack) => {
    const { env, forms = {} } = settings([
      `slack:${slack.reviewer.id}`, `discord:${discord.user.id}`, 'teams:29:ada', 'telegram:4321', 'gchat:users/1234',
      'whatsapp:4915112345678', 'ops:ada lovelace',
    ], slack)
    return {
      TRUST_PROXY: '1', CARD_INTERVAL_MS: '0', ...telegram.env, ...teams.env, ...google.env, ...whatsapp.env,
      ...repointed({ ...teams.hosts, ...google.hosts }), ...discord.env, FORMS_CONFIG: formsFile(forms), ...env,
    }
  }))
  const tries = triesOn(d, doubles)
  /** Signs in a visitor with this name. */
  const signedIn = async (name = 'Grace Hopper') => {
    const visitor = visit(d.server)
    const { status } = await visitor.signIn(PASSWORD, name)
    if (status !== 200) throw new Error(`${name} was answered ${status}.`)
    return visitor
  }
  return Object.assign(d, {
    doubles, signedIn, talks: talksOn(d, doubles), tries,
    /** Ada Lovelace's actions on a platform */
    on: (platform: string) => tries.find(each => each.platform === platform)!,
    /** Sends a form; resolves with its id once its cards are posted. */
    async send(form = '', data: object = { name: 'Ada' }) {
      const id = await submitForm(d.server, data, form)
      await d.server.drain()
      return id
    },
    emailsAbout: (id: string) => emailsAbout(d, id),
    /** Returns the submission as the API shows it to a signed-in reviewer. */
    shown: async (id: string) => (
      await (await (await signedIn()).get(`/api/submissions/${id}`)).json() as { state: string, holder: object | null }
    ),
  })
}
