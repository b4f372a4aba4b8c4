import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { outside, platforms } from '../../../server/platforms/registry'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Maximum length of a comment line in `.env.example`. */
const WIDTH = 120

describe('the registry', () => {
  test('names every folder of a platform, and each by its key', () => {
    const folders = readdirSync(new URL('server/platforms/', root), { withFileTypes: true })
      .filter(entry => entry.isDirectory() && entry.name !== 'shared').map(({ name }) => name)
    expect(platforms.map(({ key }) => key).sort()).toEqual(folders.sort())
  })

  test('gives no two platforms one name or one variable', () => {
    const names = platforms.flatMap(({ key, aliases }) => [key, ...aliases])
    const variables = platforms.flatMap(platform => (
      Object.keys({ ...platform.variables, ...platform.signIn?.variables })
    ))
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(variables).size).toBe(variables.length)
  })

  test.each(platforms)('$key needs and names only variables of its own', ({ variables, needs, channel, signIn }) => {
    for (const name of [...needs, ...channel.variable ? [channel.variable] : []]) expect(variables).toHaveProperty(name)
    for (const name of signIn?.needs ?? []) expect(signIn!.variables).toHaveProperty(name)
  })

  test.each(platforms)('$key tells people about itself, and how it is set up without anything being set', ({ label, about, needs, setup }) => {
    expect([label, about].every(Boolean)).toBe(true)
    expect(setup(null, undefined).length > 0).toBe(needs.length > 0)
  })

  test.each([
    ['slack', { blocks: [{ type: 'header' }, { type: 'rich_text' }] }, true],
    ['slack', { blocks: [{ type: 'rich_text' }, { type: 'divider' }, { type: 'section' }] }, true],
    ['slack', { blocks: [{ type: 'rich_text' }] }, false],
    ['discord', { embeds: [{}] }, true], ['discord', { embeds: [], content: 'x' }, false],
    ['gchat', { cardsV2: [{}] }, true], ['gchat', { text: 'x' }, false],
    ['teams', { attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] }, true],
    ['teams', { attachments: [{ contentType: 'image/png' }] }, false],
    ['telegram', { card: true }, true], ['sandbox', { card: {} }, true],
    ['sandbox', { card: null }, false],
  ])('of %s tells a card from what the bot says by %j: %s', (key, raw, expected) => {
    expect(platforms.find(each => each.key === key)!.isCard(raw)).toBe(expected)
  })

  test.each(platforms)('$key takes nothing for a card that has nothing of one', ({ isCard }) => {
    expect(isCard({})).toBe(false)
  })

  test('has the link that invites the bot to Discord after the restart, which all variables are set for', () => {
    const { needs, channel, setup } = platforms.find(({ key }) => key === 'discord')!
    const texts = setup(null, undefined).map(({ text }) => text)
    const before = texts.slice(0, texts.findIndex(text => /\binvite/i.test(text))).join(' ')
    for (const name of [...needs, channel.variable, 'restart']) expect(before).toContain(name)
  })

  test('has a bot on Telegram read along before it is added to the group', () => {
    const [firstStep] = platforms.find(({ key }) => key === 'telegram')!.setup(null, undefined)
    expect(firstStep!.text).toMatch(/\/setprivacy → Disable.*add the bot to your group/)
  })

  test.each([
    [undefined, /TELEGRAM_POLLING=1.*TELEGRAM_WEBHOOK_SECRET_TOKEN.*openssl/, 'setWebhook'],
    [{ polling: true }, /^TELEGRAM_POLLING is set/, undefined],
  ])('leads Telegram with the settings %j to a secret or to polling', (settings, expected, label) => {
    const [, step] = platforms.find(({ key }) => key === 'telegram')!.setup(null, settings)
    expect(step!.text).toMatch(expected)
    expect(step!.code?.label).toBe(label)
  })

  test('reads no adapter and no SDK at the start', async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL('server/platforms/registry.ts', root))],
      bundle: true, write: false, format: 'esm', platform: 'node', packages: 'external', metafile: true, outdir: 'x',
      plugins: [{ name: 'late', setup: ({ onResolve }) => onResolve({ filter: /./ }, ({ kind, path }) => (
        kind === 'dynamic-import' ? { path, external: true } : undefined
      )) }],
    })
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
    const names = imported.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)
    // `#locales` is allowed: the build generates this module, which contains the texts.
    expect([...new Set(names)].filter(name => !name.startsWith('node:') && name !== '#locales')).toEqual(['zod'])
  })
})

describe('what is written of the platforms (PLATFORMS=write writes it)', () => {
  test.each([
    ['docs/platforms.md', '<!-- platforms -->', '<!-- /platforms -->', limitsTable()],
    ['.env.example', '# <platforms>', '# </platforms>', envSections()],
  ])('in %s comes from their definitions', (path, begin, end, text) => {
    const page = read(path)
    const [before, rest] = page.split(begin)
    const newPage = `${before}${begin}\n\n${text}\n\n${end}${rest!.split(end)[1]}`
    if (process.env.PLATFORMS === 'write') writeFileSync(new URL(path, root), newPage)
    else expect(page).toBe(newPage)
  })
})

function limitsTable(): string {
  const rows = outside.map(({ key, label, modal, card, cardIntervalMs }) => [
    label, `\`/api/webhooks/${key}\``, modal ? 'form there' : 'link to the web',
    card.fields.toLocaleString('en'), card.total.toLocaleString('en'), `${cardIntervalMs / 1000} s`,
  ])
  const head = ['', 'Webhook', 'Editing', 'Fields on a card', 'Text on a card, characters', 'A card every']
  return [
    head, head.map(() => '---'), ...rows,
  ].map(cells => `| ${cells.join(' | ')} |`.replace('|  |', '| |')).join('\n')
}

/** Sections of `.env.example`. For beginners, only the first platform's required variables are not commented out. */
function envSections(): string {
  return platforms.map(({ label, variables, needs, channel }, index) => [
    `# ── ${label}`,
    ...Object.entries(variables).map(([name, { about, where, alias, example = '' }]) => [
      ...wrapComment(where ? `${about} ${where}` : about), ...alias ? [`# Alias: ${alias}`] : [],
      `${index === 0 && [...needs, channel.variable].includes(name) ? '' : '# '}${name}=${example}`,
    ].join('\n')),
  ].join('\n\n')).join('\n\n')
}

function wrapComment(text: string): string[] {
  const lines = ['#']
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > WIDTH) lines.push('#')
    lines[lines.length - 1] += ` ${word}`
  }
  return lines
}
