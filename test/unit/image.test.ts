import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { problemsOf } from '../fixtures/config/env'
import { readDockerfile } from '../support/dockerfile'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const imagesOf = (compose: string) => [...read(compose).matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image!)

/** Image by a digest, with the version that it is */
const PINNED = /^[a-z]+:\d+\.\d+\.\d+-[a-z]+@sha256:[\da-f]{64}$/

it('every image of others is named by its digest', () => {
  const images = [...readDockerfile().map(({ image }) => image), ...imagesOf('compose.redis.yaml')]
  expect(images).toHaveLength(3)
  for (const image of images) expect(image).toMatch(PINNED)
  expect(imagesOf('compose.yaml')).toEqual(['form-triage-bot'])
})

it('the image is labelled with the version of the package', () => {
  const { version, license } = JSON.parse(read('package.json')) as { version: string, license: string }
  const name = (label: string) => `org.opencontainers.image.${label}`
  expect(readDockerfile()[1]!.labels).toEqual({
    [name('title')]: 'form-triage-bot', [name('version')]: version, [name('licenses')]: license,
    [name('revision')]: 'unknown', [name('source')]: 'unknown',
  })
})

it.each(['compose.yaml', 'compose.redis.yaml'])('services of %s cannot write, gain rights or fill the disk', (name) => {
  const file = read(name).replaceAll(/^ *#.*\n/gm, '')
  for (const setting of [
    'read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges:true]', 'max-size: 10m, max-file: \'5\'',
  ]) expect(file.split(setting)).toHaveLength(2)
})

const linesOf = (page: string) => /^ +CHAT_BOT_TOKEN=(?:.*\n)+? +```/m.exec(read(page))![0]

it('README and docs/deploy.md start with the same eight lines', () => {
  expect(linesOf('README.md')).toBe(linesOf('docs/deploy.md'))
  expect(linesOf('README.md').match(/^ +[A-Z_]+=/gm)).toHaveLength(8)
})

it('these eight lines and the STORE_URL of compose.yaml are a whole configuration', () => {
  const lines = linesOf('README.md').match(/[A-Z_]+=\S+/g)!.map(line => line.split(/=(.*)/s) as [string, string])
  const given = Object.fromEntries(lines.map(([name, value]) => [name, value.replace('…', 'a'.repeat(64))]))
  const [, store] = /STORE_URL: (sqlite:\S+)/.exec(read('compose.yaml'))!
  expect(problemsOf({ ...given, STORE_URL: store! })).toEqual([])
  for (const name of Object.keys(given).filter(each => !/PASSWORD/.test(each))) {
    expect(problemsOf({ ...given, [name]: undefined, STORE_URL: store! })).not.toEqual([])
  }
})
