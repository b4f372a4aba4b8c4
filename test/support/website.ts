import { startBrowser } from './browser'
import { deploy, type Deployment } from './deployment'
import { endAfterAll, formsFile, sharedFolder } from './lifetime'
import { startProxy, type Proxy } from './proxy'

/** Content for a website's pages */
export interface Website {
  d: Deployment
  shop: Proxy
  /** Returns the HTML of a form as copied from the service, with this server as its target. */
  copied: (form: string) => Promise<string>
}

/**
 * Starts a deployment with forms, a website that embeds one of them, and a browser, for all tests of a file.
 *
 * @param formsFor returns the forms, for a website of this origin
 * @param page returns the HTML of the website at a path
 * @param env further variables of the deployment
 */
export async function openWebsite(
  formsFor: (origin: string) => object, page: (website: Website, path: string) => string | Promise<string>,
  env: Record<string, string> = {},
) {
  const dir = sharedFolder()
  const shop: Proxy = endAfterAll(await startProxy(async ({ path }) => new Response(
    `<!doctype html><html lang="en"><title>Shop</title>${await page({ d, shop, copied }, path)}`,
    { headers: { 'content-type': 'text/html' } },
  )))
  const FORMS_CONFIG = formsFile(formsFor(shop.url), dir)
  const d: Deployment = endAfterAll(await deploy({ FORMS_CONFIG, DATA_DIR: dir, CARD_INTERVAL_MS: '0', ...env }))
  const browser = endAfterAll(await startBrowser())
  const copied = async (form: string) => (
    await (await fetch(`${d.server.url}/api/form/${form}/embed`)).text()
  ).replace('https://forms.example.com', d.server.url)
  return { d, shop, browser, dir, copied }
}

/** Turns off the browser's own validation of a form. */
export const unchecked = (html: string): string => html.replace('<form', '<form novalidate')
