import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createGateway, type LanguageModel } from 'ai'

/** Where the model is; without a key the gateway takes the hosting provider's identity token. */
export type ModelSettings
  = | { kind: 'gateway', apiKey?: string, name: string }
    | { kind: 'compatible', baseUrl: string, apiKey?: string, name: string }

/** The model by its name. Nothing is called yet. */
export function createModel(settings: ModelSettings): Exclude<LanguageModel, string> {
  if (settings.kind === 'gateway') return createGateway({ apiKey: settings.apiKey })(settings.name)
  const { baseUrl, apiKey, name } = settings
  return createOpenAICompatible({ name: 'compatible', baseURL: baseUrl, apiKey })(name)
}
