import type { ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import type { OpsRole } from '../../shared/types/session'
import type { SandboxState, SentEmail } from '../../shared/types/sandbox'
import type { Operations } from './operations'
import type { Setup } from '../../shared/types/setup'
import type { Config } from '../config'
import type { OpsSubmissions } from '../domain/queries/ops-submissions'
import type { Retries } from '../domain/outbox/retries'
import type { Receipts } from '../domain/outbox/receipts'
import type { Arrival } from '../domain/intake/intake'
import type { SubmissionFiles } from '../domain/files/submission-files'
import type { PasswordGuesses } from '../domain/operations/password-guesses'
import type { TestCards } from '../domain/operations/test-cards'
import type { TestEmail } from '../domain/operations/test-email'
import type { ReadBody } from '../http/body/body'
import type { BodyLimits } from '../http/body/body-memory'
import type { WebRequest } from '../http/web'
import type { Install, ManifestVariant } from '../platforms/connection'
import type { Definition } from '../platforms/platform'
import type { SandboxRooms } from '../platforms/sandbox/rooms'
import type { IdentityProvider } from '../ports/identity'
import type { FormPages } from '../ports/form'
import type { Limiter } from '../ports/limiter'
import type { Sender } from '../ports/sender'
import type { Person } from '../ports/submission'
import type { Log } from '../ports/runtime'
import type { SubmissionStore } from '../ports/store'

/** What routes and plugins use. */
export interface Services {
  config: Config
  log: Log
  store: SubmissionStore
  /** Where forms are sent, and a command that sends one; a path while the public URL is not known. */
  formUrl: string
  sampleCurl: string
  /** A form that takes files, for the sandbox. */
  sampleUpload: SandboxState['upload']
  /** The embedded chat platform and the emails that it caught; null when it is off. */
  sandbox: { rooms: SandboxRooms, emails: readonly SentEmail[] } | null
  /** The form with this key, or the default one; null when there is none. */
  inbox: (form: string | undefined) => Inbox | null
  /** Reads the body of a request, within what all of them may take. */
  readBody: ReadBody
  bodyLimits: BodyLimits
  /** Files that came with forms. */
  files: Pick<SubmissionFiles, 'open'>
  /** Counts attempts to sign in to the ops pages. */
  signIns: Limiter
  guesses: PasswordGuesses
  identityProviders: readonly IdentityProvider[]
  /** Somebody who signed in to the ops pages, and what they may do there; null when they may not look. */
  admit: (person: Person) => Promise<{ person: Person, role: OpsRole | null } | null>
  opsSubmissions: OpsSubmissions
  retries: Pick<Retries, 'tryAll'>
  /** Takes in what became of emails; null while the provider does not tell. */
  receipts: Pick<Receipts, 'take'> | null
  testEmail: TestEmail
  testCards: TestCards
  operations: Operations
  setup: () => Promise<Setup>
  /** Does what is due; resolves with how many submissions it took. */
  sweep: () => Promise<number>
  /** What the operator did not set, and what is missing because of it; one line each. */
  missing: readonly string[]
  /** Who may decide; one line each. */
  decides: readonly string[]
  /** The webhook of a platform, or null when none is registered under that name. */
  webhook: (platform: string) => Webhook | null
  /** Every configured platform that has a socket to listen to. */
  listeners: readonly ListenerSupervisor[]
  /** The platform with this key and, where it is set up, what belongs to it here; null when there is none. */
  platform: (key: string) => PlatformServices | null
  /** Lets no more cards out and begins no more answers, and ends the agent's that run: nobody waits for them. */
  stopQueues: () => void
  /** Loads the modules that the first click or message needs. */
  load: () => Promise<unknown>
  close: () => Promise<void>
}

interface PlatformServices {
  definition: Definition
  /** What an app for this deployment is created from; null while its public URL is not known. */
  manifest: ((variant: ManifestVariant) => object) | null
  /** Listens to its socket; null where it has none or is not set up. */
  listener: ListenerSupervisor | null
  /** Lets others install the app; null when that is off. */
  install: Omit<Install, 'finish'> & { finish: (code: string) => Promise<string | null> } | null
}

interface Webhook {
  /** Its requests come from our own pages, and from nobody else. */
  fromPages: boolean
  /** Its platform asks for it with GET first. */
  takesGet: boolean
  /** Largest body, bytes. */
  maxBytes: number
  /** @param viewer who sent it, where it comes from our own pages */
  handle: (request: WebRequest, viewer: Person | null) => Promise<Response>
}

interface Inbox {
  rules: Config['form'] & FormPages
  enter: (sender: Sender) => Promise<Arrival>
  /** JSON Schema of what it takes. */
  schema: () => object
}
