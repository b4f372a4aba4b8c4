import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { openPage, startBrowser, type Browser } from './browser'
import { deploy, type Deployment } from './deployment'
import { until } from './until'

/* eslint-disable import/no-mutable-exports -- A worker runs one test at a time: these are of the one that runs. */
export let browser: Browser
export let page: Page
/** What went wrong in the page so far. */
export let problems: string[]
/** Goes on in a page that remembers nothing of the one before. */
export let openAnother: () => Promise<void>

interface Pages {
  /** Problems of this kind are part of what is tested: a browser reports each refusal and each broken line. */
  expected?: RegExp
  headers?: () => Record<string, string>
}

/**
 * Gives each test of the file a page of its own, and fails the test that leaves problems in it. Called below the
 * file's own hooks: a page that outlives its server has problems.
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
  openAnother = async () => {
    await close()
    await open()
  }
}

/** A deployment whose pages are open, and whose first answers are not those of a cold server. */
export async function deployPages(env: Record<string, string> = {}): Promise<Deployment> {
  const deployment = await deploy({ NODE_ENV: 'development', ...env })
  await until('the server to be ready', async () => (await fetch(`${deployment.server.url}/api/ready`)).ok)
  return deployment
}
