import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelMessage, ToolSet } from 'ai'
import { MockEmbeddingModelV4, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test, vi } from 'vitest'
import { INDEX_TEXTS, createToolSelection, type ToolSelection } from '../../../../../server/adapters/ai/tools/selection'
import { silentLog } from '../../../../fakes/runtime'
import { REQUESTS } from '../../../../fixtures/requests'
import { testFolder } from '../../../../support/lifetime'

const createTools = (...names: string[]) => Object.fromEntries(names.map(name => [name, {}])) as ToolSet
const ALL_TOOLS = createTools(...Object.keys(INDEX_TEXTS), 'moreTools')
const PAGE = 6

type Call = { toolName: string, invalid?: boolean }

/** Tools offered after a request and earlier calls (one list per step); all tools if none are selected */
async function listOffered(
  selection: ToolSelection, request: string | ModelMessage[], steps: readonly Call[][] = [], tools: ToolSet = ALL_TOOLS,
): Promise<string[]> {
  const messages: ModelMessage[] = typeof request === 'string' ? [{ role: 'user', content: request }] : request
  const prepare = selection.prepareStep(tools) as (options: object) => Promise<{ activeTools?: string[] }>
  const { activeTools } = await prepare({
    messages, steps: steps.map(toolCalls => ({ toolCalls, text: '' })), stepNumber: steps.length,
  })
  return activeTools ?? Object.keys(tools)
}

describe('by keywords', () => {
  const selection = createToolSelection({ log: silentLog })

  test('the right tool is among the offered for at least 95 % of the requests, out of few', async () => {
    const results = await Promise.all(
      REQUESTS.map(async ([request, tool]) => ({ request, tool, offered: await listOffered(selection, request) })),
    )
    const chosen = results.filter(({ offered }) => offered.length < Object.keys(ALL_TOOLS).length)
    const missed = chosen.filter(({ tool, offered }) => (
      !offered.includes(tool)
    )).map(({ request, tool }) => `${request} → ${tool}`)
    expect(REQUESTS.length).toBeGreaterThanOrEqual(40)
    expect(new Set(REQUESTS.map(([, tool]) => tool))).toEqual(new Set(Object.keys(INDEX_TEXTS)))
    expect(1 - missed.length / chosen.length, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
    // Offering all tools would pass the other checks, so most requests must get a selection.
    expect(chosen.length / REQUESTS.length).toBeGreaterThan(0.8)
    expect(chosen.reduce((sum, { offered }) => sum + offered.length, 0) / chosen.length).toBeLessThan(8)
  })

  test('a request that says too little, or in other words than ours, is offered everything', async () => {
    for (const request of [
      'thanks!', '👍', 'Leite das bitte an den Vertrieb weiter',
    ]) expect(await listOffered(selection, request), request).toEqual(Object.keys(ALL_TOOLS))
  })

  test('a short answer is about what was asked before it', async () => {
    const conversation: ModelMessage[] = [
      { role: 'user', content: 'Save this submission as JSON under reports/' },
      { role: 'assistant', content: 'Under which name?' },
      { role: 'user', content: [{ type: 'text', text: 'ada.json' }] },
    ]
    expect(await listOffered(selection, conversation)).toContain('uploadFile')
  })

  test('a write brings the reads that find its subject', async () => {
    expect(await listOffered(selection, 'Save this as JSON under reports/')).toEqual(
      expect.arrayContaining(['uploadFile', 'getSubmission']),
    )
    expect(await listOffered(selection, 'That one is obviously junk, get rid of it')).toEqual(
      expect.arrayContaining(['markSubmissionAsSpam', 'searchSubmissions', 'getSubmission']),
    )
  })

  test('a miss turns to the next page, a second miss to everything, and a hit back to the first', async () => {
    const request = 'Show me the messages in this channel about the report, the file and the form'
    const [firstPage, secondPage] = [
      await listOffered(selection, request), await listOffered(selection, request, [[{ toolName: 'moreTools' }]]),
    ]
    expect([firstPage.length, secondPage.length].every(length => length > PAGE && length < 2 * PAGE)).toBe(true)
    expect(secondPage.filter(name => !firstPage.includes(name)).length).toBeGreaterThanOrEqual(3)
    expect(
      await listOffered(selection, request, [[{ toolName: 'nonsense', invalid: true }]]),
    ).toEqual(expect.arrayContaining(secondPage))
    expect(await listOffered(selection, request, [[{ toolName: 'moreTools' }], []])).toEqual(Object.keys(ALL_TOOLS))
    expect(await listOffered(
      selection, request, [[{ toolName: 'moreTools' }], [{ toolName: 'moreTools' }, { toolName: 'fetchMessages' }]],
    )).toEqual(firstPage)
  })

  test('a tool that was used stays offered, and one without an index text always is', async () => {
    const tools = { ...ALL_TOOLS, ...createTools('lookUpWeather') }
    expect(
      await listOffered(selection, 'Who took part in this thread?', [[{ toolName: 'signUploadUrl' }]], tools),
    ).toEqual(expect.arrayContaining(['signUploadUrl', 'lookUpWeather', 'moreTools']))
    expect(await listOffered(selection, 'Who took part in this thread?')).not.toContain('signUploadUrl')
  })

  test('a tool that the agent does not have takes no place on a page', async () => {
    const { uploadFile, listFiles, copyFile, ...tools } = ALL_TOOLS
    const names = await listOffered(selection, 'Save this submission as JSON under reports/', [], tools)
    expect(names.filter(name => ['uploadFile', 'listFiles', 'copyFile'].includes(name))).toEqual([])
    expect(names.length).toBeGreaterThan(PAGE)
  })
})

describe('with models', () => {
  /** Embeds German requests about deleting close to `deleteFile`, and records all embedded texts. */
  function embedder() {
    const embedded: string[][] = []
    const model = new MockEmbeddingModelV4({
      maxEmbeddingsPerCall: 100, supportsParallelCalls: true,
      doEmbed: async ({ values }) => {
        embedded.push([...values])
        return { embeddings: values.map(value => /^deleteFile:|lösch/.test(value) ? [1, 0] : [0, 1]), warnings: [] }
      },
    })
    return { model, embedded }
  }

  test('embeddings find what keywords do not, once they are ready', async () => {
    const selection = createToolSelection({ log: silentLog, embeddingModel: embedder().model })
    expect(await listOffered(selection, 'lösch das mal')).toEqual(Object.keys(ALL_TOOLS))
    await selection.warmUp()
    const names = await listOffered(selection, 'lösch das mal')
    expect(names).toContain('deleteFile')
    expect(names.length).toBeLessThan(10)
  })

  test('embeddings are kept in a file for the next start, as long as they fit', async () => {
    const embeddingCache = join(testFolder(), 'deep/embeddings.json')
    const [firstEmbedder, secondEmbedder, thirdEmbedder] = [embedder(), embedder(), embedder()]
    await createToolSelection({ log: silentLog, embeddingModel: firstEmbedder.model, embeddingCache }).warmUp()
    await createToolSelection({ log: silentLog, embeddingModel: secondEmbedder.model, embeddingCache }).warmUp()
    expect([firstEmbedder.embedded.length, secondEmbedder.embedded.length]).toEqual([1, 0])
    await writeFile(
      embeddingCache, JSON.stringify({ ...JSON.parse(await readFile(embeddingCache, 'utf8')), key: 'of other texts' }),
    )
    await createToolSelection({ log: silentLog, embeddingModel: thirdEmbedder.model, embeddingCache }).warmUp()
    expect(thirdEmbedder.embedded).toHaveLength(1)
  })

  test('a cache that cannot be written costs nothing but the cache', async () => {
    const dir = testFolder()
    await writeFile(join(dir, 'file'), '')
    const selection = createToolSelection({
      log: silentLog, embeddingModel: embedder().model, embeddingCache: join(dir, 'file/embeddings.json'),
    })
    await selection.warmUp()
    expect(await listOffered(selection, 'lösch das mal')).toContain('deleteFile')
  })

  test('an embedding model that fails or hangs leaves the choice to keywords, and is logged', async () => {
    const events: string[] = []
    const log = { ...silentLog, warn: (event: string) => void events.push(event) }
    const failing = new MockEmbeddingModelV4({ doEmbed: async () => { throw new Error('down') } })
    const selection = createToolSelection({ log, embeddingModel: failing })
    await selection.warmUp()
    expect(await listOffered(selection, 'Delete reports/old.json')).toContain('deleteFile')
    let ready = false
    const hanging = new MockEmbeddingModelV4({ doEmbed: async ({ values }) => ready
      ? new Promise(() => {})
      : { embeddings: values.map(() => [1]), warnings: [] } })
    const slowSelection = createToolSelection({ log, embeddingModel: hanging })
    await slowSelection.warmUp()
    ready = true
    vi.useFakeTimers()
    const names = listOffered(slowSelection, 'Delete reports/old.json')
    await vi.advanceTimersByTimeAsync(3000)
    vi.useRealTimers()
    expect(await names).toContain('deleteFile')
    expect(events).toEqual(['tools.warm-up-failed', 'tools.search-failed'])
  })

  test('a reranker chooses the page, and adds synonyms when it is asked to', async () => {
    const prompts: string[] = []
    const reranker = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const text = JSON.stringify(prompt)
        prompts.push(text)
        const tools = text.includes('expand the description')
          ? [{ name: 'getUser', text: 'zork' }]
          : ['getUser', 'signUploadUrl']
        return {
          content: [{ type: 'text', text: JSON.stringify({ tools }) }], finishReason: { unified: 'stop', raw: 'stop' },
          warnings: [],
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
        }
      },
    })
    const selection = createToolSelection({
      log: silentLog, rerankerModel: reranker, enrichDescriptions: true, maxTools: 2,
    })
    await selection.warmUp()
    expect(prompts).toHaveLength(1)
    expect(await listOffered(selection, 'Save this submission as JSON under reports/')).toEqual([
      'getUser', 'signUploadUrl', 'moreTools',
    ])
    expect(prompts).toHaveLength(2)
  })
})
