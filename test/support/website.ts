import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBrowser, type Browser } from './browser'
import { deploy, type Deployment } from './deployment'
import { startProxy, type Proxy } from './proxy'

/** A deployment with forms, a website that has one of them, and a browser to look at both. */
export interface Website {
  d: Deployment
  shop: Proxy
  browser: Browser
  /** Of this deployment alone. */
  dir: string
  /** The HTML of a form as it is copied from here, sent to this server. */
  copied: (form: string) => Promise<string>
  close: () => Promise<void>
}

/**
 * @param formsFor the forms, for a website of this origin
 * @param page HTML of the website at a path
 */
export async function openWebsite(
  formsFor: (origin: string) => object, page: (website: Website, path: string) => string | Promise<string>,
): Promise<Website> {
  const dir = mkdtempSync(join(tmpdir(), 'website-'))
  const [shop, browser] = await Promise.all([
    startProxy(async ({ path }) => new Response(
      `<!doctype html><html lang="en"><title>Shop</title>${await page(website, path)}`,
      { headers: { 'content-type': 'text/html' } },
    )),
    startBrowser(),
  ])
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify(formsFor(shop.url)))
  const d = await deploy({ FORMS_CONFIG: path, DATA_DIR: dir, CARD_INTERVAL_MS: '0' })
  const website: Website = {
    d, shop, browser, dir,
    copied: async form => (await (await fetch(`${d.server.url}/api/form/${form}/embed`)).text()).replace(
      'https://forms.example.com', d.server.url,
    ),
    close: async () => {
      await browser.close()
      await d.close()
      await shop.close()
      rmSync(dir, { recursive: true })
    },
  }
  return website
}

/** A form that browsers do not stop who sends what is wrong. */
export function unchecked(html: string): string {
  return html.replace('<form', '<form novalidate')
}
