import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { createHttpClient } from '../../server/adapters/http/client'
import type { HttpClient } from '../../server/ports/http'
import { startProxy, type Proxy, type Recorded } from './proxy'

const SCRIPT = readFileSync(new URL('../fixtures/append-row.gs', import.meta.url), 'utf8')

/** Max characters of a cell: https://support.google.com/drive/answer/37603 */
const MAX_CELL = 50_000

export interface RecipeVendors extends Proxy {
  /** Sends requests for the vendors' hosts to the doubles. */
  http: HttpClient
  /** Bodies that the vendors accepted, by host. */
  accepted: Record<string, unknown[]>
  /** Rows of the Google sheet. */
  rows: unknown[][]
  /** Keeps the script of the sheet from getting its lock, as while another run takes long. */
  isSheetLocked: boolean
}

/** Doubles of the vendors of `docs/recipes.md`. Each checks requests, and answers, as its vendor does. */
export async function startRecipeVendors(): Promise<RecipeVendors> {
  const client = createHttpClient()
  const answers = new Map<string, string>()
  const vendors: RecipeVendors = {
    ...await startProxy((request) => {
      const { host, pathname } = new URL(`https:/${request.path}`)
      const vendor = VENDORS[host]
      if (!vendor) return new Response('No such host.', { status: 502 })
      const response = vendor({ ...request, path: pathname })
      if (response.ok && request.method === 'POST') (vendors.accepted[host] ??= []).push(JSON.parse(request.body))
      return response
    }),
    http: request => client({
      ...request, url: request.url.replace('https://', `${vendors.url}/`),
    }),
    accepted: {}, rows: [], isSheetLocked: false,
  }
  const VENDORS: Record<string, (request: Recorded) => Response> = {
    ...STATELESS,
    'script.google.com': ({ path, body }) => {
      if (path !== '/macros/s/DEPLOYMENT_ID/exec') return new Response('<html>Not found</html>', { status: 404 })
      try {
        const content = runScript(body, vendors)
        const key = randomUUID()
        answers.set(key, content)
        const location = `https://script.googleusercontent.com/macros/echo/${key}`
        return new Response('<HTML>Moved Temporarily</HTML>', { status: 302, headers: { location } })
      }
      catch {
        // A script that throws is answered with a page and status 200.
        return new Response('<html>Exception</html>', { headers: { 'content-type': 'text/html' } })
      }
    },
    'script.googleusercontent.com': ({ method, path }) => {
      if (method !== 'GET') return new Response('', { status: 405 })
      const content = answers.get(path.split('/').at(-1)!)
      return content === undefined ? new Response('', { status: 404 }) : new Response(content)
    },
  }
  return vendors
}

/** Runs the script that `docs/recipes.md` gives, with doubles of the services of Apps Script. */
function runScript(contents: string, { rows, isSheetLocked }: RecipeVendors): string {
  const sheet = {
    getLastRow: () => rows.length,
    getRange: (row: number, _column: number, count: number) => ({
      getValues: () => rows.slice(row - 1, row - 1 + count),
      setValues: (values: unknown[][]) => {
        if (values.flat().some(cell => String(cell).length > MAX_CELL)) throw new Error('Your input is too long.')
        values.forEach((cells, index) => { rows[row - 1 + index] = [...cells].map(cell => cellOf(cell)) })
      },
    }),
  }
  const services = {
    SpreadsheetApp: { getActiveSpreadsheet: () => ({ getSheets: () => [sheet] }), flush: () => {} },
    LockService: { getScriptLock: () => ({
      waitLock: () => { if (isSheetLocked) throw new Error('Lock timeout') }, releaseLock: () => {},
    }) },
    ContentService: {
      MimeType: { JSON: 'application/json' },
      createTextOutput: (content: string) => ({ setMimeType: () => content }),
    },
    event: { postData: { contents } },
  }
  return runInNewContext(`${SCRIPT}\ndoPost(event)`, services) as string
}

/** Content of a cell: an apostrophe at its start is not shown, and a text that begins with `=` is a formula. */
function cellOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.startsWith('\'') ? value.slice(1) : value.startsWith('=') ? { formula: value } : value
}

const text = (max: number) => z.string().min(1).max(max)
const plainText = (max: number) => z.strictObject({
  type: z.literal('plain_text'), text: text(max), emoji: z.boolean().optional(),
})

/** https://docs.slack.dev/reference/block-kit/blocks */
const slackMessage = z.strictObject({
  text: text(40_000),
  blocks: z.array(z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('header'), text: plainText(150) }),
    z.strictObject({ type: z.literal('section'), text: plainText(3000) }),
    z.strictObject({
      type: z.literal('context'),
      elements: z.array(z.strictObject({ type: z.literal('mrkdwn'), text: text(3000) })).min(1).max(10),
    }),
  ])).max(50),
})

/** https://docs.github.com/en/rest/issues/issues#create-an-issue */
const githubIssue = z.strictObject({
  title: text(256), body: z.string().max(65_536).optional(), labels: z.array(z.string()).optional(),
})

const linearRequest = z.strictObject({
  query: z.string().regex(/^mutation \(\$input: IssueCreateInput!\) \{ issueCreate\(input: \$input\) \{ success \} \}$/),
  variables: z.strictObject({
    input: z.strictObject({ teamId: z.literal('YOUR_TEAM_ID'), title: text(512), description: z.string().optional() }),
  }),
})

const refuse = (status: number, message: string) => Response.json({ message }, { status })

const STATELESS: Record<string, (request: Recorded) => Response> = {
  'api.github.com': ({ path, body, headers }) => {
    if (!headers['user-agent']) return refuse(403, 'Request forbidden by administrative rules.')
    if (headers.authorization !== 'Bearer YOUR_TOKEN') return refuse(401, 'Bad credentials')
    if (path !== '/repos/OWNER/REPO/issues') return refuse(404, 'Not Found')
    return isValid(githubIssue, body) ? Response.json({ number: 1 }, { status: 201 }) : refuse(422, 'Validation Failed')
  },
  'api.linear.app': ({ path, body, headers }) => {
    if (path !== '/graphql') return refuse(404, 'Not Found')
    if (headers.authorization !== 'YOUR_API_KEY') return refuse(401, 'Authentication required')
    // Errors of a mutation are answered with status 200.
    return isValid(linearRequest, body)
      ? Response.json({ data: { issueCreate: { success: true } } })
      : Response.json({ data: null, errors: [{ message: 'Argument Validation Error' }] })
  },
  'hooks.slack.com': ({ path, body }) => {
    if (path !== '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX') return refuse(404, 'no_service')
    return isValid(slackMessage, body) ? new Response('ok') : refuse(400, 'invalid_blocks')
  },
  'n8n.example.com': ({ path, headers }) => {
    if (path !== '/webhook/forms') return refuse(404, 'The requested webhook is not registered.')
    if (headers['x-form-token'] !== 'YOUR_TOKEN') return refuse(403, 'Authorization data is wrong!')
    return Response.json({ message: 'Workflow was started' })
  },
  'hooks.zapier.com': ({ path }) => path === '/hooks/catch/123456/abcdef/'
    ? Response.json({ attempt: randomUUID(), id: randomUUID(), request_id: randomUUID(), status: 'success' })
    : refuse(404, 'Not Found'),
  'hook.eu2.make.com': ({ path, headers }) => {
    if (path !== '/YOUR_WEBHOOK') return refuse(410, 'There is no scenario listening for this webhook.')
    return headers['x-make-apikey'] === 'YOUR_KEY' ? new Response('Accepted') : refuse(401, 'Unauthorized')
  },
}

function isValid(schema: z.ZodType, body: string): boolean {
  return schema.safeParse(JSON.parse(body)).success
}
