import type { Outcome } from '../../../ports/delivery'
import type { HttpClient } from '../../../ports/http'
import type { Listener, ListenerOptions } from '../../connection'
import { refused } from '../../shared/answers'
import { listenAsOwner } from '../../shared/listener/listen'
import { LeaseOwner, type OwnerOptions } from '../../shared/listener/owner'
import { OwnerStore } from '../../shared/listener/owner-store'
import { createSlackCall, SLACK_TIMEOUT_MS, type SlackSettings } from '../client'
import { SocketConnection } from './connection'
import { Inbox, type SocketEnvelope } from './inbox'

const TOKEN_ADVICE = 'Check CHAT_APP_TOKEN: it must be an app-level token (xapp-…) with the scope connections:write.'

/** Listener of Socket Mode; it stores its data in the Chat SDK's state, which replicas share */
export async function createListener(
  { apiUrl }: SlackSettings, appToken: string, { bot, receive, leaseMs, log }: ListenerOptions, http: HttpClient,
): Promise<Listener> {
  const chat = await bot()
  await chat.initialize()
  const state = chat.getState()
  const store = new OwnerStore(state, `slack-socket:${/^xapp-\d+-(\w+)-/.exec(appToken)?.[1] ?? 'app'}`)
  const call = createSlackCall({ apiUrl, tokenAdvice: TOKEN_ADVICE }, () => appToken, SLACK_TIMEOUT_MS, http)
  const inbox = new Inbox(state, receive)
  const address = async (): Promise<Outcome<string>> => {
    const outcome = await call('apps.connections.open', new URLSearchParams())
    if (!outcome.ok) return outcome
    const url = String(outcome.value.url)
    const isSocket = /^wss?:[^#]+$/.test(url) && URL.canParse(url)
    return isSocket ? { ok: true, value: url } : refused({ reason: 'Slack answered without the address of a socket' })
  }
  return {
    listen: run => listenAsOwner(run, { state, store, leaseMs }, owned => new SocketOwner({
      ...owned, name: 'slack.socket', store, log, inbox, address,
    })),
    status: () => store.status(),
  }
}

interface SocketOptions extends OwnerOptions {
  inbox: Inbox
  address: () => Promise<Outcome<string>>
}

/** Listener that holds the lease */
class SocketOwner extends LeaseOwner<SocketOptions> {
  private connectCount = 0
  private readonly connection = new SocketConnection({
    address: this.options.address,
    answer: envelope => this.answer(envelope),
    connected: () => {
      this.connected('connected', { resumes: this.connectCount++ })
      this.nudge()
    },
    detached: (why) => {
      this.detached(why)
      this.nudge()
    },
    refused: why => this.refuse(why),
  })

  protected open(): void {
    void this.connection.connect()
  }

  protected close(): Promise<unknown> {
    return this.connection.close()
  }

  private async answer(envelope: SocketEnvelope): Promise<string> {
    if (!this.mayAct()) throw new Error('Another listener gets this.')
    this.noteEvent()
    return this.options.inbox.answer(envelope).catch((error: Error) => {
      this.noteFailure(error.message)
      throw error
    })
  }
}
