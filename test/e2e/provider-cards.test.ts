import { expect, test } from 'vitest'
import { PROVIDERS } from '../fixtures/providers'
import { screenshot } from '../support/browser'
import { endAfterAll, formsFile, sharedFolder } from '../support/lifetime'
import { page, usePages } from '../support/pages'
import { startServer } from '../support/server'

// Cards of docs/providers.md, as they appear in the sandbox. SCREENSHOTS=docs/providers takes their pictures.

/** Bodies of the providers with a picture in the documentation */
const BODIES = {
  'basin': 'basin-wrapped', 'contact-form-7': 'contact-form-7', 'elementor': 'elementor-advanced', 'fillout': 'fillout',
  'formbricks': 'formbricks', 'formspree': 'formspree', 'framer': 'framer', 'google-forms': 'google-forms-namedvalues',
  'gravity-forms': 'gravity-forms', 'heyform': 'heyform', 'hubspot': 'hubspot-workflow', 'jotform': 'jotform',
  'netlify': 'netlify', 'opnform': 'opnform', 'squarespace': 'squarespace-zapier', 'tally': 'tally',
  'typeform': 'typeform', 'webflow': 'webflow-v2', 'wix': 'wix', 'wpforms': 'wpforms-webhooks',
}

/** Gravity Forms sends numbers instead of questions: the documentation shows how to name them. */
const GRAVITY_LABELS = {
  1.3: 'First name', 1.6: 'Last name', 2: 'Email address', 3: 'Departments', 4: 'Message',
}
const FORMS = {
  'gravity-forms': { name: 'Contact', fields: GRAVITY_LABELS, technical: ['1.2', '1.4', '1.8'] },
}
const env = { NODE_ENV: 'development', DATA_DIR: sharedFolder(), FORMS_CONFIG: formsFile(FORMS) }

/** Style that hides the buttons, which look the same in every picture */
const ONLY_ANSWERS = `:has(> [data-testid^=action-]), [data-testid=open-thread], [role=separator] {
  display: none !important
}`

const server = endAfterAll(await startServer(env))
usePages()

test('a card of each provider shows every question beside its answer, and no JSON', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  // Cards fit into the window.
  await page.setViewportSize({ width: 1280, height: 1600 })
  await page.goto(`${server.url}/sandbox`)
  for (const [name, file] of Object.entries(BODIES)) {
    const { type, text, email, answers } = PROVIDERS.find(fixture => fixture.file === `${file}.json`)!
    const body = text.replaceAll(/(?: |\+|%20)MARKMARK/g, '')
    const labels: Record<string, string> = name in FORMS ? GRAVITY_LABELS : {}
    const path = name in FORMS ? `/${name}` : ''
    const init = { method: 'POST', headers: { 'content-type': type }, body }
    const response = await fetch(`${server.url}/api/form${path}`, init)
    expect(response.status, name).toBe(200)
    const card = page.getByTestId('room-triage').getByTestId('card').filter({ hasText: email! })
    await card.waitFor()
    const fields = await card.locator('dl > div').evaluateAll(
      all => (all as { innerText: string }[]).map(({ innerText }) => innerText),
    )
    for (const [question, texts] of answers) {
      const label = labels[question] ?? question
      const field = fields.find(each => each.startsWith(`${label}\n`))
      for (const each of [texts].flat()) expect(field, `${name}: ${label}`).toContain(each.replace(' MARKMARK', ''))
    }
    expect(fields.join('\n'), name).not.toContain('{"')
    await screenshot(card, name, { style: ONLY_ANSWERS })
  }
})
