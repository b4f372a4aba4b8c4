import type { ListenerSupervisor } from '../adapters/chat/listener-supervisor'
import type { OpsRole } from '../../shared/types/session'
import type { SandboxState, SentEmail } from '../../shared/types/sandbox'
import type { Operations } from './operations'
import type { Setup } from '../../shared/types/setup'
import type { Config } from '../config'
import type { OpsSubmissions } from '../domain/queries/ops-submissions'
import type { Deliveries } from '../domain/outbox/send-again'
import type { Retries } from '../domain/outbox/retries'
import type { Receipts } from '../domain/outbox/receipts'
import type { Arrival } from '../domain/intake/intake'
import type { SubmissionFiles } from '../domain/files/submission-files'
import type { PasswordGuesses } from '../domain/operations/password-guesses'
import type { Alerts } from '../domain/operations/alerts'
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
import type { HumanCheck, Sender } from '../ports/sender'
import type { Person } from '../ports/submission'
import type { Log } from '../ports/runtime'
import type { SubmissionStore } from '../ports/store'

/** Services that routes and plugins use. */
export interface Services {
  config: Config
  log: Log
  store: SubmissionStore
  /** URL of the default form (a path while the public URL is unknown), and a command that sends a form. */
  formUrl: string
  sampleCurl: string
  /** A form that takes files, for the sandbox. */
  sampleUpload: SandboxState['upload']
  /** Embedded chat platform and the emails it caught; null if it is off. */
  sandbox: { rooms: SandboxRooms, emails: readonly SentEmail[] } | null
  /** Returns the form with this key, or the default form; null if there is none. */
  inbox: (form: string | undefined) => Inbox | null
  /** Returns a challenge of our own human check; absent if that is off. */
  challenge: HumanCheck['challenge']
  /** Reads the body of a request, within the memory limit for all bodies. */
  readBody: ReadBody
  bodyLimits: BodyLimits
  /** Files that came with forms. */
  files: SubmissionFiles
  /** Counts attempts to sign in to the ops pages. */
  signIns: Limiter
  guesses: PasswordGuesses
  identityProviders: readonly IdentityProvider[]
  /** Resolves with a person who signed in to the ops pages and their role; null if they have no access. */
  admit: (person: Person) => Promise<{ person: Person, role: OpsRole | null } | null>
  opsSubmissions: OpsSubmissions
  retries: Retries
  deliveries: Deliveries
  /** Records the status of emails; null if the provider does not report it. */
  receipts: Receipts | null
  testEmail: TestEmail
  testCards: TestCards
  alerts: Alerts
  operations: Operations
  setup: () => Promise<Setup>
  /** Does all due work; resolves with the number of submissions taken. */
  sweep: () => Promise<number>
  /** Missing settings and their effects, one line each. */
  missing: readonly string[]
  /** People who may decide, one line each. */
  decides: readonly string[]
  /** Returns the webhook of a platform; null if none has that name. */
  webhook: (platform: string) => Webhook | null
  /** Listeners of all configured platforms that use a socket. */
  listeners: readonly ListenerSupervisor[]
  /** Returns the platform with this key and, if it is set up, its services; null if there is none. */
  platform: (key: string) => PlatformServices | null
  /** Stops posting queued cards and starting answers; ends the agent's running answers, which nobody waits for. */
  stopQueues: () => void
  /** Loads the modules that the first click or message needs. */
  load: () => Promise<unknown>
  close: () => Promise<void>
}

interface PlatformServices {
  definition: Definition
  /** Returns the manifest to create an app for this deployment from; null while its public URL is unknown. */
  manifest: ((variant: ManifestVariant) => object) | null
  /** Listens to its socket; null if it has none or is not set up. */
  listener: ListenerSupervisor | null
  /** Lets others install the app; null if that is off. */
  install: Omit<Install, 'finish'> & { finish: (code: string) => Promise<string | null> } | null
}

interface Webhook {
  /** True if the webhook's requests come only from our own pages. */
  fromPages: boolean
  /** True if the platform first checks the webhook with a GET request. */
  takesGet: boolean
  /** Max body, bytes. */
  maxBytes: number
  /** @param viewer sender, if the request comes from our own pages */
  handle: (request: WebRequest, viewer: Person | null) => Promise<Response>
}

interface Inbox {
  rules: Config['form'] & FormPages
  enter: (sender: Sender) => Promise<Arrival>
  /** Returns the JSON Schema of the form's data. */
  schema: () => object
}
