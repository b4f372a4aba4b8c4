import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createGateway, type EmbeddingModel, type LanguageModel } from 'ai'

/** Provider of the models. Without a key, the gateway uses the hosting provider's identity token. */
export type ModelSettings
  = | { kind: 'gateway', apiKey?: string, name: string }
    | { kind: 'compatible', baseUrl: string, apiKey?: string, name: string }

/** Models by name, all of one provider. Creating one sends no request. */
export interface Models {
  /** Model that writes the answers. */
  main: Exclude<LanguageModel, string>
  language: (name: string) => Exclude<LanguageModel, string>
  embedding: (name: string) => Exclude<EmbeddingModel, string>
}

export function createModels(settings: ModelSettings): Models {
  const { name } = settings
  if (settings.kind === 'gateway') {
    const gateway = createGateway({ apiKey: settings.apiKey })
    return { main: gateway(name), language: gateway, embedding: id => gateway.embeddingModel(id) }
  }
  const { baseUrl, apiKey } = settings
  const provider = createOpenAICompatible({ name: 'compatible', baseURL: baseUrl, apiKey })
  return { main: provider(name), language: provider, embedding: id => provider.embeddingModel(id) }
}
