import { GoogleChatAdapter } from '@chat-adapter/gchat'
import type { Logger, WebhookOptions } from 'chat'
import { modernEvent } from './events'

export interface GoogleChatSettings {
  /** Key of the service account that the Chat app acts as. */
  credentials: { client_email: string, private_key: string }
  /** Of the Google Cloud project of the Chat app. */
  projectNumber: string
  /** `spaces/…` */
  space: string
  /** Our webhook: where Google sends clicks, and the audience of its tokens. */
  endpointUrl: string
  /** `users/…` of the app, which tells its own messages from other bots'. */
  botUserId?: string
  /** Base URL of the Chat API with a trailing slash; Google's own when absent. */
  apiUrl?: string
}

/** Google Chat through the SDK, for both kinds of Chat apps. */
export class FormGoogleChatAdapter extends GoogleChatAdapter {
  constructor({ credentials, projectNumber, endpointUrl, botUserId, apiUrl }: GoogleChatSettings, logger: Logger) {
    super({
      credentials, endpointUrl, botUserId, apiUrl, logger, userName: 'form-bot', disableSignatureVerification: false,
      googleChatProjectNumber: projectNumber,
      // Whose tokens a Workspace add-on comes with (https://developers.google.com/workspace/add-ons/guides/alternate-runtimes#validate_requests_from_google).
      workspaceAddOnServiceAccountEmail: `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`,
    })
  }

  /** The API, signed in as the Chat app. */
  get messages() {
    return this.chatApi.spaces.messages
  }

  /** The SDK reads the events of Workspace add-ons only. What it verifies is in the headers. */
  override async handleWebhook(request: Request, options?: WebhookOptions): Promise<Response> {
    return super.handleWebhook(new Request(request.url, { method: 'POST', headers: request.headers, body: modernEvent(await request.text()) }), options)
  }
}
