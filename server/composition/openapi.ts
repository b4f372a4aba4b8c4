import { z } from 'zod'
import { isFileField } from '../../shared/field-types/field-types'
import type { FormsConfig } from '../config/forms'
import { schemaOfFiles } from '../domain/fields/rules'
import type { Services } from './services'

/** JSON answers. The table below has everything else about the routes. */
const refusal = z.object({
  error: z.string().meta({ description: 'Message for people' }),
  message: z.string().meta({ description: 'The same as `error`' }), code: z.string(),
})
const answers = {
  received: z.object({ status: z.literal('received'), submissionId: z.uuid() }),
  refusal,
  wrongFields: refusal.extend({
    fields: z.record(z.string(), z.string()).meta({
      description: 'Messages by field, in the language of the client',
    }),
  }),
  alive: z.object({ status: z.literal('ok') }),
  readiness: z.object({ ready: z.boolean(), reasons: z.array(z.string()), warnings: z.array(z.string()) }),
  session: z.object({
    viewer: z.object({
      id: z.string(), name: z.string(), platform: z.string(), role: z.enum(['viewer', 'reviewer']).nullable(),
    }).nullable(),
    closed: z.string().nullable(), refused: z.string().nullable(), password: z.boolean(),
    platforms: z.array(z.object({ key: z.string(), label: z.string() })), takes: z.boolean(),
  }),
  signedIn: z.object({ viewer: z.object({ id: z.string(), name: z.string(), platform: z.string() }) }),
  signedOut: z.object({ viewer: z.null() }),
  taken: z.object({ ok: z.literal(true) }),
  unknownPlatform: refusal.omit({ code: true }),
  object: z.record(z.string(), z.unknown()),
}

const signIn = z.object({ name: z.string().max(80), password: z.string() })

/** Name of a JSON answer, or another media type; `none` has no body. */
type Answer = keyof typeof answers | { type: string } | 'none'

interface Operation {
  summary: string
  /** Parameters of the query. */
  query?: readonly string[]
  headers?: readonly string[]
  body?: Readonly<Record<string, object>>
  /** Encoding of the files in a multipart body, by field. */
  encoding?: Readonly<Record<string, { contentType: string }>>
  /** Answers by status. All other refusals are `{ error, message, code }`. */
  answers: Readonly<Record<number, Answer | readonly Answer[]>>
  refused?: readonly number[]
}

const HTML = { type: 'text/html' }
const TEXT = { type: 'text/plain' }

/** Describes the public routes as OpenAPI 3.1, with the same schemas that validate forms. */
export function openApi({ config, inbox, formUrl }: Services): object {
  const anyObject = { type: 'object' }
  const named = Object.keys(config.forms).map((key): [string, Record<string, Operation>] => (
    [`/api/form/${key}`, { post: takes(
      `Take the form ${config.forms[key]!.name}`, inbox(key)!.schema(), config.forms[key],
    ) }]
  ))
  const paths: Record<string, Record<string, Operation>> = {
    '/api/form': { post: takes('Take the default form: any JSON object', anyObject) },
    ...Object.fromEntries(named), ...common(anyObject),
  }
  const [server] = formUrl.split('/api/form')
  return {
    openapi: '3.1.0',
    info: { title: 'Form triage bot', version: '0.1.0', description: 'Routes that need no sign-in.' },
    ...server ? { servers: [{ url: server }] } : {},
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, Object.fromEntries(
      Object.entries(methods).map(([method, each]) => [method, operation(path, each)]),
    )])),
    components: { schemas: Object.fromEntries(
      Object.entries(answers).map(([name, schema]) => [name, plain(z.toJSONSchema(schema))]),
    ) },
  }
}

const MULTIPART = 'multipart/form-data'

/** Describes a form's data and media types. Only one media type accepts files. */
function takes(summary: string, schema: object, { files, fields = {} }: Partial<FormsConfig[string]> = {}): Operation {
  const content = plain(schema) as { properties?: Record<string, object> }
  const named = Object.keys(fields).filter(key => isFileField(fields[key]!))
  // Without a field for files, files may come in any field; the embeddable form uses `files`.
  const inFiles = named.length > 0 ? named : files ? ['files'] : []
  const text = { ...content, properties: Object.fromEntries(
    Object.entries(content.properties ?? {}).filter(([key]) => !named.includes(key)),
  ) }
  const isNeeded = named.some(key => fields[key]!.required)
  const types = isNeeded ? [] : ['application/json', 'application/x-www-form-urlencoded']
  return {
    summary, query: ['lang'], headers: ['Idempotency-Key', 'Authorization', 'X-Api-Key', 'Accept-Language'],
    body: {
      ...Object.fromEntries(types.map(type => [type, files ? text : content])),
      [MULTIPART]: files && named.length === 0
        ? { ...content, properties: { ...content.properties, files: schemaOfFiles(files) } }
        : content,
    },
    encoding: Object.fromEntries(inFiles.map(key => [key, { contentType: files!.types.join(', ') }])),
    answers: { 200: 'received', 303: 'none', 422: ['wrongFields', HTML] },
    refused: [400, 401, 403, 404, 405, 408, 413, 415, 429, 503],
  }
}

function common(anyObject: object): Record<string, Record<string, Operation>> {
  const platform = 'of a chat platform, by its key'
  return {
    '/api/form/{form}': { post: takes('Take a named form', anyObject) },
    '/api/form/{form}/embed': { get: {
      summary: 'The form as HTML to copy into a website', query: ['lang'], headers: ['Accept-Language'],
      answers: { 200: [HTML, TEXT] }, refused: [404],
    } },
    '/api/form/{form}/embed.js': { get: {
      summary: 'Script that sends the form without leaving the page', query: ['lang'], headers: ['Accept-Language'],
      answers: { 200: { type: 'text/javascript' }, 304: 'none' }, refused: [404],
    } },
    '/api/form/{form}/schema': { get: {
      summary: 'JSON Schema of the form', answers: { 200: { type: 'application/schema+json' } },
      refused: [404],
    } },
    '/api/challenge': { get: {
      summary: 'A challenge of the human check, with HUMAN_CHECK=altcha', answers: { 200: 'object' }, refused: [404],
    } },
    '/api/files/{id}/{index}': { get: {
      summary: 'A file that came with a form, by the address that cards and emails have', query: ['key'],
      answers: { 200: { type: 'application/octet-stream' } }, refused: [404, 410, 503],
    } },
    '/api/thanks': { get: {
      summary: 'Result page for browsers that sent a form without JavaScript', query: ['form', 'id', 'lang'],
      answers: { 200: HTML },
    } },
    '/api/openapi.json': { get: { summary: 'This description', answers: { 200: 'object' } } },
    '/api/health': { get: { summary: 'Liveness of the process', answers: { 200: 'alive' } } },
    '/api/ready': { get: { summary: 'Readiness to take forms', answers: { 200: 'readiness', 503: 'readiness' } } },
    '/api/webhooks/{platform}': {
      get: { summary: `Verify the webhook ${platform}`, answers: { 200: TEXT }, refused: [403, 405] },
      post: {
        summary: `The webhook ${platform}, which signs it`, body: { 'application/json': anyObject },
        answers: { 200: 'object', 401: [TEXT, 'object'], 404: 'unknownPlatform' }, refused: [413, 503],
      },
    },
    '/api/mail/events': { post: {
      summary: 'Event about an email, signed by its provider', body: { 'application/json': anyObject },
      answers: { 200: 'taken' }, refused: [401, 404, 413, 503],
    } },
    '/api/{platform}/manifest': { get: {
      summary: 'Manifest from which the Slack app is created', query: ['files'], answers: { 200: 'object' },
      refused: [404],
    } },
    '/api/{platform}/oauth/callback': { get: {
      summary: 'Return of the browser after an installation', query: ['code', 'state'], answers: { 302: 'none' },
      refused: [404],
    } },
    '/api/auth/session': { get: { summary: 'Signed-in person, or the ways to sign in', answers: { 200: 'session' } } },
    '/api/auth/sign-in': { post: {
      summary: 'Sign in with the password', body: { 'application/json': plain(z.toJSONSchema(signIn)) },
      answers: { 200: 'signedIn' }, refused: [400, 401, 403, 415, 429, 503],
    } },
    '/api/auth/sign-out': { post: {
      summary: 'Sign out', body: { 'application/json': anyObject }, answers: { 200: 'signedOut' }, refused: [403, 415],
    } },
    '/api/auth/{platform}': { get: {
      summary: 'Go to a chat platform to sign in', query: ['to'], answers: { 302: 'none' }, refused: [404],
    } },
    '/api/auth/{platform}/callback': { get: {
      summary: 'Return from the chat platform after sign-in', query: ['code', 'state'], answers: { 302: 'none' },
      refused: [404, 429, 503],
    } },
  }
}

function operation(
  path: string, { summary, query = [], headers = [], body, encoding = {}, answers, refused = [] }: Operation,
): object {
  const parameter = (where: string, required: boolean) => (name: string) => (
    { name, in: where, required, schema: { type: 'string' } }
  )
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const isForm = headers.includes('Idempotency-Key')
  const responses = {
    ...Object.fromEntries(refused.map(status => [status, response(status, isForm ? ['refusal', HTML] : 'refusal')])),
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(Number(status), answer)]),
    ),
  }
  return {
    summary,
    parameters: [
      ...inPath.map(parameter('path', true)), ...query.map(parameter('query', false)),
      ...headers.map(parameter('header', false)),
    ],
    ...body && { requestBody: { content: Object.fromEntries(
      Object.entries(body).map(([type, schema]) => [type, {
        schema, ...type === MULTIPART && Object.keys(encoding).length > 0 && { encoding },
      }]),
    ) } },
    responses,
  }
}

function response(status: number, answer: Answer | readonly Answer[]): object {
  const bodies = [answer].flat() as Answer[]
  const content = Object.fromEntries(bodies.filter(body => body !== 'none').map(body => typeof body === 'string'
    ? ['application/json', { schema: { $ref: `#/components/schemas/${body}` } }]
    : [body.type, { schema: { type: body.type.endsWith('json') ? 'object' : 'string' } }]))
  const isElsewhere = status === 302 || status === 303
  const isLater = status === 429 || status === 503
  const header = { schema: { type: isLater ? 'integer' : 'string' } }
  return {
    description: isElsewhere ? 'Redirect to the chat platform' : status < 300 ? 'Done' : 'Refused; the body says why',
    ...isElsewhere && { headers: { Location: header } }, ...isLater && { headers: { 'Retry-After': header } },
    ...Object.keys(content).length > 0 && { content },
  }
}

/** Returns a schema without `$schema`, for use within another document. */
function plain(schema: object): object {
  const { $schema: _, ...rest } = schema as { $schema?: string }
  return rest
}
