import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tool, type EmbeddingModel, type LanguageModel, type PrepareStepFunction, type ToolSet } from 'ai'
import { createToolIndex, extractQuery, type EmbeddingCacheOptions, type ToolIndex } from 'toolpick'
import { z } from 'zod'
import { withTimeout } from '../../../../shared/utils/time'
import type { Log } from '../../../ports/runtime'

export interface ToolSelectionOptions {
  /** Model to find tools by meaning, in addition to keywords. */
  embeddingModel?: EmbeddingModel
  /** Model to choose among the tools found. It is called once before each step. */
  rerankerModel?: LanguageModel
  /** Lets the reranker add synonyms to the index at the start. */
  enrichDescriptions?: boolean
  /** File that keeps the embeddings of the index across restarts. */
  embeddingCache?: string
  /** Tools per page. Default: 6. */
  maxTools?: number
  log: Log
}

export interface ToolSelection {
  /** Prepares embeddings and synonyms. Before that, or if it fails, keywords alone choose the tools. Never rejects. */
  warmUp(): Promise<void>
  /** Returns the agent's `prepareStep`. Pass all of its tools. */
  prepareStep<TOOLS extends ToolSet>(tools: TOOLS): PrepareStepFunction<NoInfer<TOOLS>>
  /** Extra tool for the agent. The model calls it to say that the offered tools do not fit. */
  tools: { moreTools: ReturnType<typeof createMoreTools> }
}

type Step = Parameters<PrepareStepFunction<ToolSet>>[0]['steps'][number]

/** Consecutive misses after which all tools are offered. */
const MAX_MISSES = 2

/** Min number of tools found. A request that finds fewer is too vague, and all tools are offered. */
const MIN_FOUND = 3

/** Max length of a search query, characters. A longer one is cut at the start: the latest text is at the end. */
const MAX_QUERY_LENGTH = 4000

/** Max wait for embeddings and reranking before a step, ms. After that, keywords alone choose the tools. */
const PATIENCE_MS = 3000

/** Tools that provide the input of each tool. They are offered together with it. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  forwardSubmission: ['searchSubmissions', 'getSubmission'],
  editAndForwardSubmission: ['searchSubmissions', 'getSubmission'],
  markSubmissionAsSpam: ['searchSubmissions', 'getSubmission'],
  getSubmission: ['searchSubmissions'],
  uploadFile: ['searchSubmissions', 'getSubmission'],
  downloadFile: ['listFiles'],
  deleteFile: ['listFiles'],
  copyFile: ['listFiles'],
}

/** Offers an agent the tools that fit the conversation, one page at a time. */
export function createToolSelection({
  log, maxTools = 6, embeddingCache, ...models
}: ToolSelectionOptions): ToolSelection {
  const indexedTools = Object.fromEntries(
    Object.entries(INDEX_TEXTS).map(([name, description]) => [name, { description } as ToolSet[string]]),
  )
  const keywords = createToolIndex(indexedTools)
  let index = keywords

  const find = async (query: string, limit: number): Promise<string[]> => {
    const options = { maxTools: limit, adaptive: false }
    if (index === keywords) return keywords.select(query, options)
    const createTimeout = () => new Error(`No answer in ${PATIENCE_MS} ms.`)
    return withTimeout(PATIENCE_MS, index.select(query, options), createTimeout).catch((error) => {
      log.warn('tools.search-failed', { error })
      return keywords.select(query, options)
    })
  }

  return {
    tools: { moreTools: createMoreTools() },
    async warmUp() {
      if (!models.embeddingModel && !models.rerankerModel) return
      try {
        const modelIndex: ToolIndex = createToolIndex(
          indexedTools, { ...models, embeddingCache: embeddingCache ? createCache(embeddingCache, models) : undefined },
        )
        await modelIndex.warmUp()
        index = modelIndex
      }
      catch (error) {
        log.warn('tools.warm-up-failed', { error })
      }
    },
    prepareStep: tools => async ({ messages, steps }) => {
      const offer = (names: readonly string[]) => (
        { activeTools: Object.keys(tools).filter(name => names.includes(name) || !Object.hasOwn(INDEX_TEXTS, name)) }
      )
      const page = countMisses(steps)
      if (page >= MAX_MISSES) return {}
      // Tools that this agent does not have must not use up places on a page.
      const absentTools = Object.keys(INDEX_TEXTS).filter(name => !Object.hasOwn(tools, name))
      const query = extractQuery(messages, [], 0).slice(-MAX_QUERY_LENGTH)
      const foundTools = await find(query, (page + 1) * maxTools + absentTools.length)
      const presentTools = foundTools.filter(name => !absentTools.includes(name))
      const pageTools = presentTools.slice(page * maxTools, (page + 1) * maxTools)
      if (pageTools.length === 0 || foundTools.length < Math.min(MIN_FOUND, maxTools)) return {}
      const usedTools = steps.flatMap(step => step.toolCalls.map(({ toolName }) => toolName))
      return offer([...pageTools, ...pageTools.flatMap(name => COMPANIONS[name] ?? []), ...usedTools])
    },
  }
}

function createMoreTools() {
  return tool({
    title: 'Look for other tools',
    description: 'Call this if none of the offered tools fits the task. The next step then offers others. The tools concern form submissions, files, and this conversation.',
    inputSchema: z.object({}),
    execute: async () => ({ message: 'Other tools are offered now.' }),
  })
}

/** Counts the consecutive misses at the end. A step is a miss if it called none of the offered tools. */
function countMisses(steps: readonly Step[]): number {
  const lastHit = steps.findLastIndex(({ toolCalls }) => toolCalls.some(call => call.toolName !== 'moreTools'
    && !call.invalid))
  return steps.length - 1 - lastHit
}

/** Keeps the embeddings of exactly these texts and models in a file. A failed write is ignored. */
function createCache(
  file: string,
  { embeddingModel, enrichDescriptions }: Pick<ToolSelectionOptions, 'embeddingModel' | 'enrichDescriptions'>,
): EmbeddingCacheOptions {
  const model = typeof embeddingModel === 'string' ? embeddingModel : embeddingModel?.modelId
  const key = createHash('sha256').update(JSON.stringify([INDEX_TEXTS, model, enrichDescriptions])).digest('hex')
  return {
    load: async () => {
      const cached = await readFile(file, 'utf8').then(JSON.parse).catch(() => null)
      return cached?.key === key ? cached.embeddings : null
    },
    save: embeddings => mkdir(dirname(file), { recursive: true }).then(
      () => writeFile(file, JSON.stringify({ key, embeddings })),
    ).catch(() => { /* They are computed again at the next start. */ }),
  }
}

/**
 * Words that people use when they mean a tool. Keyword search knows no stems and no synonyms, so both are listed here,
 * at about the same length for every tool: a longer text is a weaker match. Models never see these texts.
 */
export const INDEX_TEXTS: Readonly<Record<string, string>> = {
  searchSubmissions: 'search find look up list show all everything pending open waiting undecided outstanding unhandled new newest recent latest forms form submissions submission entries requests enquiries inquiries leads inbox queue from somebody someone anybody anyone person who wrote asked asking sent about mentions containing received came in',
  getSubmission: 'show open read view display see full details detail detailed whole entire complete content fields field values one single submission form entry request enquiry inquiry lead what does it say ask want state status expires expire received got came text id',
  submissionStats: 'statistics stats count counts how many much number numbers total totals figures summary overview metrics backlog submissions forms forwarded spam expired pending left waiting open decided handled processed today yesterday week month so far share rate',
  forwardSubmission: 'forward forwarded forwarding fwd send sending pass on relay deliver dispatch route hand over email mail accept approve approved good legitimate real go ahead submission form entry enquiry inquiry lead request to the team sales colleagues recipient as is',
  editAndForwardSubmission: 'edit editing change changing correct correcting fix fixing update updating modify amend adjust replace typo wrong mistake misspelled spelling field value set name email phone number address before then and forward forwarding send sending submission form entry',
  markSubmissionAsSpam: 'mark flag spam spammy junk scam phishing bogus fake bot advert advertising ads nonsense garbage discard reject dismiss decline delete remove erase throw toss away get rid trash bin ignore submission submissions form entry request',
  fetchMessages: 'messages message thread conversation discussion chat read reread history earlier before previous last said say saying wrote above scroll back replies reply answered recap summarize summarise catch up talked discussed agreed decided here we',
  fetchChannelMessages: 'channel room messages message posts posted announcements recent latest history top level read going on happened happening said say elsewhere outside this thread in the whole channel today catch up summarize summarise',
  fetchThread: 'thread information info metadata about this thread conversation which channel belongs to does it belong public private visibility direct message dm where are we id',
  listThreads: 'threads list other discussions conversations topics active recent started in this channel room which what are there going on show overview',
  getThreadParticipants: 'participants participating people persons members who took part takes part taken part involved joined joining present replied in this thread conversation discussion everyone everybody names',
  getChannelInfo: 'channel room information info name called title members member count how many people in here private public visibility topic purpose about this channel',
  getUser: 'user users profile person people who is this look up somebody someone colleague full name email address avatar picture account bot human contact id',
  listFiles: 'list show browse files file folder folders directory directories saved stored kept uploaded documents document reports report exports attachments what which do we have exist exists there available storage store bucket archive under in find',
  getFileMetadata: 'file files metadata information info details size big large bytes kilobytes heavy type kind format mime when created last modified changed updated date uploaded etag of document report check',
  downloadFile: 'read open load download fetch get show view see print display content contents text inside in file files document report export csv json markdown notes what does it say summarize summarise quote saved',
  getFileUrl: 'link links url address share sharing shareable give send get somebody someone access open in the browser to file document report download public hyperlink',
  uploadFile: 'save saving store storing write writing upload uploading create make put add keep export exporting archive record file files as json csv text txt markdown under reports folder document report note notes list new submission submissions',
  deleteFile: 'delete deleting remove removing erase drop wipe clean up get rid throw away trash file files document report export old obsolete outdated storage folder from',
  copyFile: 'copy copying duplicate duplicating clone backup back up rename renaming move moving file files document report to another other folder name version keep under second original',
  signUploadUrl: 'upload uploading link url presigned signed temporary let allow somebody someone customer client colleague outside people upload hand in drop send submit large file photo video document directly themselves their own',
}
