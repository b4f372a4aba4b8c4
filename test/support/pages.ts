import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { openPage, startBrowser, type Browser } from './browser'
import { deploy, type Deployment } from './deployment'
import { until } from './until'

/* eslint-disable import/no-mutable-exports -- A worker runs one test at a time: these belong to it. */
export let browser: Browser
export let page: Page
/** Errors of the page so far */
export let problems: string[]

interface Pages {
  /** Expected errors: a browser reports each refused request and each broken connection. */
  expected?: RegExp
  headers?: () => Record<string, string>
}

/**
 * Gives each test of the file its own page, and fails a test if its page has errors. Call it below the file's own
 * hooks: the page must close before its server stops, because a page without its server has errors.
 */
export function usePages({ expected, headers = () => ({}) }: Pages = {}): void {
  beforeAll(async () => { browser = await startBrowser() })
  afterAll(() => browser.close())
  const open = async () => void ({ page, problems } = await openPage(browser, headers()))
  const close = async () => {
    await page.close()
    expect(problems.filter(text => !expected?.test(text))).toEqual([])
  }
  beforeEach(open)
  afterEach(close)
}

/** Starts a deployment with open pages, and waits until the server is warm. */
export async function deployPages(env: Record<string, string> = {}): Promise<Deployment> {
  const deployment = await deploy({ NODE_ENV: 'development', ...env })
  await until('the server to be ready', async () => (await fetch(`${deployment.server.url}/api/ready`)).ok)
  return deployment
}
