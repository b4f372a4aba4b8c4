import type { Email, Endpoint, Mailer, Outcome, Posted } from '../../server/ports/delivery'
import { ok } from './board'

/** Records every email; answers from `answers`, then `ok`. */
export class FakeMailer implements Mailer {
  readonly calls: { email: Email, key: string }[] = []
  readonly answers: (Outcome<string | undefined> | Promise<Outcome<string | undefined>>)[] = []

  async send(email: Email, key: string): ReturnType<Mailer['send']> {
    this.calls.push({ email, key })
    return this.answers.shift() ?? ok
  }
}

/** Records every POST; answers from `answers`, then 200. */
export class FakeEndpoint implements Endpoint {
  readonly host = 'downstream.example.com'
  readonly url = 'https://downstream.example.com/inbox'
  readonly calls: { body: string, key: string }[] = []
  readonly answers: (Outcome<Posted> | Promise<Outcome<Posted>>)[] = []

  async post(body: string, key: string): Promise<Outcome<Posted>> {
    this.calls.push({ body, key })
    return this.answers.shift() ?? { ok: true, value: { status: 200 } }
  }
}
